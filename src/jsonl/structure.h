#pragma once

// Where the tokens of a JSON text begin.
//
// The first pass of simdjson, which finds every bracket, colon, comma, opening quote and first byte of a number or
// word at several GB/s, without caring what they mean. We use that pass alone, and walk its result ourselves (walk.h):
// simdjson's own second passes stop at a lone surrogate, refuse a whole line for one invalid byte of UTF-8, and do
// not tell where things are. Its internals are named in structure.cpp and nowhere else.
//
// Reads not a byte behind the text, so any view will do. One thread at a time; reuse it, since it keeps its memory.

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace holdfast::jsonl {

class Structure {
 public:
  enum class State {
    ready,    // positions() may be walked; the text need not be valid JSON
    blank,    // nothing but white space
    broken,   // an open string, or a raw control character in one
    too_long  // above kMaxLineBytes, or no memory for the index
  };

  Structure();
  ~Structure();
  Structure(Structure&&) noexcept;
  Structure& operator=(Structure&&) noexcept;

  State read(std::string_view text);

  // Of the last read: ascending, and one entry more at the end: the size of the text. Valid until the next read.
  std::span<const std::uint32_t> positions() const;
  bool valid_utf8() const { return valid_utf8_; }

 private:
  struct Parser;
  bool reserve(std::size_t size);

  std::unique_ptr<Parser> parser_;
  bool valid_utf8_ = true;
};

}  // namespace holdfast::jsonl
