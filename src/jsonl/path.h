#pragma once

// Where in a JSON text something stands, and patterns of such places.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::jsonl {

// The way from the top of a value down to one of its parts. Keys are views of the text, as spelled there: a path
// costs nothing to keep up to date while walking, and lives no longer than the text. The walk owns it; others only read.
class Path {
 public:
  struct Step {
    std::string_view key;   // inside an object: the spelling between its quotes
    std::size_t index = 0;  // inside an array
    bool in_object = false;

    bool is(std::string_view name) const;  // an object's member of that name, however spelled
  };

  std::size_t depth() const { return steps_.size(); }
  bool empty() const { return steps_.empty(); }
  const Step& operator[](std::size_t level) const { return steps_[level]; }
  const Step& last() const { return steps_.back(); }

  std::string pointer() const;  // RFC 6901, for messages: "/message/content/0/text"

  // For the walk.
  void clear() { steps_.clear(); }
  void enter(bool object) { steps_.push_back({{}, 0, object}); }
  void leave() { steps_.pop_back(); }
  Step& current() { return steps_.back(); }

 private:
  std::vector<Step> steps_;
};

// A JSON pointer with two wildcards: "*" is any one member or element, a "**" at the end is any number of further
// steps, none included. "/message/content/*/input/**". Escapes are those of RFC 6901 (~0 ~1); a first slash that
// is missing is understood. Every text is a pattern, so constants need no error handling.
class PathPattern {
 public:
  PathPattern(std::string_view pattern);
  PathPattern(const char* pattern) : PathPattern(std::string_view(pattern)) {}

  bool matches(const Path& path) const;

 private:
  struct Segment {
    std::string name;
    bool any = false;
  };
  static bool fits(const Segment& segment, const Path::Step& step);

  std::vector<Segment> segments_;
  bool open_ended_ = false;
};

}  // namespace holdfast::jsonl
