#pragma once

// Names and paths against patterns with wildcards, compiled once and matched often.
//
// `*` is any run of characters, `?` one character, `[a-z]` and `[!a-z]` are sets (also [[:digit:]] and the like), `\` takes away
// the meaning of what follows. All of these stay within a name; `**` as a whole name is any number of folders, also none.
// Characters are those of UTF-8. A set that is not closed stands for itself.

#include <string>
#include <string_view>
#include <vector>

namespace holdfast {

// Of a single name, without '/'. At worst the product of both lengths.
class Wildcard {
 public:
  explicit Wildcard(std::string_view pattern);
  bool matches(std::string_view name) const;
  bool is_any_folders() const { return kind_ == Kind::any_folders; }

 private:
  // Most patterns of people are one of the first four, and most files are compared with many of them.
  enum class Kind { literal, prefix, suffix, any_folders, general } kind_ = Kind::general;
  std::string text_;  // the literal part; the pattern itself when it is general
};

// The pattern cut at '/'; empty names are left out.
std::vector<Wildcard> compile_path_wildcard(std::string_view pattern);
// "a/**" is what is below a, not a itself.
bool matches_path(const std::vector<Wildcard>& pattern, std::string_view path);

bool matches_wildcard(std::string_view pattern, std::string_view name);

}  // namespace holdfast
