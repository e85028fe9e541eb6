#pragma once

// One forward walk over a JSON text: the grammar, for everything in this room that looks into a line.
//
// A loop with a stack of its own (the Path), so that no nesting can exhaust the machine's. Tells a visitor of every
// key, value and bracket in the order of the text and checks the whole grammar on the way; a text is known to be valid only
// when the walk is complete, so a visitor must be ready to throw away what it gathered. Internal to this room.

#include "jsonl/limits.h"
#include "jsonl/path.h"

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

}  // namespace holdfast::jsonl
