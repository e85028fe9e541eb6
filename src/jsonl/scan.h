#pragma once

// What a line of a transcript is, and the few fields of it that a reader wants, at GB/s.
//
//   Scanner scanner;
//   std::array<Token, 2> found;
//   const LineReport report = scanner.fields(line.text, kNames, found);   // kNames: {"type", "sessionId"}
//   if (report.parsed() && found[0].is("user")) ...
//
// Every line is walked to its end, so what is reported as parsed is JSON by the whole grammar. Numbers are never
// converted and strings only on demand. A name that occurs twice in an object gives its last value, as
// it does for the client that wrote the file. Not a Result: lines that are not JSON are what transcripts contain.
//
// One thread at a time; keep a Scanner for many lines, it owns the memory they share.

#include "jsonl/path.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::jsonl {

// Where the tokens of a JSON text begin.
//
// The first pass of simdjson, which finds every bracket, colon, comma, opening quote and first byte of a number or
// word at several GB/s, without caring what they mean. We use that pass alone, and walk its result ourselves (walk.h):
// simdjson's own second passes stop at a lone surrogate, refuse a whole line for one invalid byte of UTF-8, and do
// not tell where things are. Its internals are named in scan.cpp and nowhere else.
//
// Reads not a byte behind the text, so any view will do. One thread at a time; reuse it, since it keeps its memory.
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

// In this order: JSON first, `fused` being the last that is (parsed() below).
enum class LineShape {
  object,      // one JSON object and nothing else: a record
  padded,      // one object, with blanks or a byte order mark around it
  not_object,  // one JSON value of another type
  fused,       // several JSON values behind each other: a line that lost its newline
  blank,       // nothing, or white space alone
  nul,         // not JSON, and holds NUL bytes: blocks that a crash left unwritten
  broken,      // not JSON: torn, or never was
  too_deep,    // nested deeper than kMaxDepth
  too_long     // longer than kMaxLineBytes
};
std::string_view name_of(LineShape shape);

struct LineReport {
  LineShape shape = LineShape::blank;
  bool valid_utf8 = true;  // of a parsed line

  // JSON by the whole grammar (bytes inside strings need not be UTF-8).
  bool parsed() const { return shape <= LineShape::fused; }
  // May be carried as it is wherever a JSON object may stand.
  bool is_record() const { return shape == LineShape::object && valid_utf8; }
};

enum class TokenKind { missing, object, array, string, number, boolean, null };

// A value of the line, as it stands there; a view of the line.
struct Token {
  TokenKind kind = TokenKind::missing;
  std::string_view raw;  // quotes and brackets included

  bool is(std::string_view text) const;  // a string that means this text, however spelled
  // A string's meaning, fit for showing: what is not valid UTF-8 or half a surrogate pair becomes U+FFFD. Empty for
  // every other kind.
  std::string text() const;
};

// A member of the object at the top of a line.
struct Member {
  std::string_view name;  // as spelled between its quotes (spelling.h)
  Token value;
};

// Told of every value of a line in its order; paths and views end with the call. What it gathered counts only when the line's
// report says parsed.
class LineVisitor {
 public:
  virtual ~LineVisitor() = default;
  virtual void on_key(const Path& path, std::string_view raw) = 0;       // the inside of a key; the path ends with it
  virtual void on_string(const Path& path, std::string_view raw) = 0;    // the inside of a string value (spelling.h)
  virtual void on_scalar(const Path& path, std::string_view token) = 0;  // a number or word
};

class Scanner {
 public:
  LineReport shape(std::string_view line);

  // found[i] becomes the member names[i] of the line's object, of the first one where several are fused. All are
  // missing unless the line is parsed. The two spans have one size.
  LineReport fields(std::string_view line, std::span<const std::string_view> names, std::span<Token> found);

  // Every member of the line's object, of the first one where several are fused, in the order of the line; a name that occurs
  // twice is there twice. None unless the line is parsed.
  LineReport members(std::string_view line, std::vector<Member>& found);

  // The JSON values at the top of the line, one behind the other; none unless it is parsed.
  LineReport values(std::string_view line, std::vector<std::string_view>& found);

  // For readers who want strings from everywhere in the line.
  LineReport visit(std::string_view line, LineVisitor& visitor);

 private:
  Structure structure_;
  Path path_;
};

}  // namespace holdfast::jsonl
