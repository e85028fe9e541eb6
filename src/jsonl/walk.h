#pragma once

// One forward walk over a JSON text: the grammar, for everything in this room that looks into a line.
//
// A loop with a stack of its own (the Path), so that no nesting can exhaust the machine's. Tells a visitor of every
// key, value and bracket in the order of the text and checks the whole grammar on the way; a text is known to be valid only
// when the walk is complete, so a visitor must be ready to throw away what it gathered. Internal to this room.

#include "base/text/text.h"
#include "jsonl/limits.h"
#include "jsonl/path.h"
#include "jsonl/scan.h"
#include "jsonl/spelling.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace holdfast::jsonl {

// `false`, `-1.5e3`, ...: a number or word of JSON, exactly.
bool is_scalar(std::string_view token);

enum class WalkEnd { complete, broken, too_deep };

// The visitor has, all views being parts of the text:
//   on_key(path, raw)        the inside of a key; path ends with it
//   on_string(path, raw)     the inside of a string value
//   on_scalar(path, token)   a number or word
//   on_open(path, at)        an object or array begins at `at`; path is its own
//   on_close(path, end)      it ends before `end`
// The path is empty for a value at the top; several of those may follow each other.
template <class Visitor>
class Walk {
 public:
  Walk(std::string_view text, std::span<const std::uint32_t> positions, Path& path, Visitor& visitor)
      : text_(text), positions_(positions), count_(positions.size() - 1), path_(path), visitor_(visitor) {
    path_.clear();
  }

  WalkEnd run() {
    while (next_ < count_)
      if (const WalkEnd end = take_value(); end != WalkEnd::complete) return end;
    return path_.empty() ? WalkEnd::complete : WalkEnd::broken;
  }

 private:
  char at(std::size_t position) const { return text_[positions_[position]]; }
  bool next_is(char c) const { return next_ < count_ && at(next_) == c; }

  // A value, and behind it whatever comes up to the next value.
  WalkEnd take_value() {
    const std::uint32_t position = positions_[next_];
    const char first = text_[position];
    if (first == '{' || first == '[') {
      if (path_.depth() == kMaxDepth) return WalkEnd::too_deep;
      ++next_;
      visitor_.on_open(std::as_const(path_), text_.data() + position);
      path_.enter(first == '{');
      const bool is_empty = next_is(first == '{' ? '}' : ']');
      const bool taken = is_empty ? take_ends() : first == '[' || take_key();
      return taken ? WalkEnd::complete : WalkEnd::broken;
    }
    if (first == '"') {
      std::string_view raw;
      if (!take_string(raw)) return WalkEnd::broken;
      visitor_.on_string(std::as_const(path_), raw);
    } else {
      ++next_;
      const std::string_view token = trim_end(text_.substr(position, positions_[next_] - position));
      if (!is_scalar(token)) return WalkEnd::broken;
      visitor_.on_scalar(std::as_const(path_), token);
    }
    return take_ends() ? WalkEnd::complete : WalkEnd::broken;
  }

  // Behind a value: closing brackets, then a comma (and a key), or the end of the value at the top.
  bool take_ends() {
    while (!path_.empty()) {
      const bool in_object = path_.last().in_object;
      if (next_is(in_object ? '}' : ']')) {
        take_close();
        continue;
      }
      if (!next_is(',')) return false;
      ++next_;
      if (in_object) return take_key();
      ++path_.current().index;
      return next_ < count_;
    }
    return true;
  }

  void take_close() {
    const char* end = text_.data() + positions_[next_++] + 1;
    path_.leave();
    visitor_.on_close(std::as_const(path_), end);
  }

  bool take_key() {
    if (!next_is('"')) return false;
    std::string_view raw;
    if (!take_string(raw) || !next_is(':')) return false;
    ++next_;
    path_.current().key = raw;
    visitor_.on_key(std::as_const(path_), raw);
    return next_ < count_;
  }

  // Only the opening quote is in the index: the closing one is the last byte that is not blank before the next token.
  bool take_string(std::string_view& raw) {
    const std::size_t begin = positions_[next_++];
    const std::string_view token = trim_end(text_.substr(begin, positions_[next_] - begin));
    if (token.size() < 2 || token.back() != '"') return false;
    raw = token.substr(1, token.size() - 2);
    return true;
  }

  static std::string_view trim_end(std::string_view token) {
    while (!token.empty() && is_blank(token.back())) token.remove_suffix(1);
    return token;
  }
  static bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

  std::string_view text_;
  std::span<const std::uint32_t> positions_;
  std::size_t count_;
  std::size_t next_ = 0;  // the token to come
  Path& path_;
  Visitor& visitor_;
};

// From a line to its report, with any visitor on the way: what Scanner and Splicer have in common. Internal.

// Counts the values at the top of a line and remembers where the first stands; passes everything on.
template <class Visitor>
class TopValues {
 public:
  explicit TopValues(Visitor& visitor) : visitor_(visitor) {}

  void on_key(const Path& path, std::string_view raw) { visitor_.on_key(path, raw); }
  void on_string(const Path& path, std::string_view raw) {
    if (path.empty()) begin(raw.data() - 1, false), end(raw.data() + raw.size() + 1);
    visitor_.on_string(path, raw);
  }
  void on_scalar(const Path& path, std::string_view token) {
    if (path.empty()) begin(token.data(), false), end(token.data() + token.size());
    visitor_.on_scalar(path, token);
  }
  void on_open(const Path& path, const char* at) {
    if (path.empty()) begin(at, *at == '{');
    visitor_.on_open(path, at);
  }
  void on_close(const Path& path, const char* at) {
    visitor_.on_close(path, at);
    if (path.empty()) end(at);
  }

  LineShape shape(std::string_view line) const {
    if (count_ > 1) return LineShape::fused;
    if (!object_) return LineShape::not_object;
    return begin_ == line.data() && end_ == line.data() + line.size() ? LineShape::object : LineShape::padded;
  }

 private:
  void begin(const char* at, bool object) {
    if (count_++ == 0) begin_ = at, object_ = object;
  }
  void end(const char* at) { end_ = at; }

  Visitor& visitor_;
  std::size_t count_ = 0;
  bool object_ = false;
  const char* begin_ = nullptr;
  const char* end_ = nullptr;
};

template <class Visitor>
LineReport scan_line(std::string_view line, Structure& structure, Path& path, Visitor& visitor) {
  const auto not_json = [&] { return LineReport{line.contains('\0') ? LineShape::nul : LineShape::broken, true}; };
  const std::string_view text = line.starts_with(kByteOrderMark) ? line.substr(kByteOrderMark.size()) : line;
  switch (structure.read(text)) {
    case Structure::State::blank:
      return {LineShape::blank, true};
    case Structure::State::broken:
      return not_json();
    case Structure::State::too_long:
      return {LineShape::too_long, true};
    case Structure::State::ready:
      break;
  }
  // First, so that a visitor may decode every string it is shown.
  if (!escapes_are_valid(text)) return not_json();
  TopValues<Visitor> top(visitor);
  switch (Walk(text, structure.positions(), path, top).run()) {
    case WalkEnd::broken:
      return not_json();
    case WalkEnd::too_deep:
      return {LineShape::too_deep, true};
    case WalkEnd::complete:
      break;
  }
  return {top.shape(line), structure.valid_utf8()};
}

}  // namespace holdfast::jsonl
