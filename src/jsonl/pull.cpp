#include "jsonl/pull.h"

#include "base/text/text.h"
#include "jsonl/walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace holdfast::jsonl {
namespace {

constexpr std::size_t kPieceBytes = 64 * 1024;  // of a long text
constexpr std::size_t kMaxScalarBytes = 4096;   // numbers of more digits exist in attacks alone
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool is_blank(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

bool ends_scalar(char c) {
  return is_blank(c) || c == ',' || c == ']' || c == '}' || c == ':' || c == '"' || c == '[' || c == '{';
}

// Where a run of plain characters of a string ends: at a quote, a backslash or a control character.
std::size_t plain_run(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && text[at] != '"' && text[at] != '\\' && static_cast<unsigned char>(text[at]) >= 0x20) ++at;
  return at;
}

}  // namespace

PullParser::PullParser(Source source) : source_(std::move(source)) {}

std::unexpected<Error> PullParser::broken(std::string_view what) const {
  return fail(ErrorKind::corrupt, fmt::format("{} at byte {}", what, offset()));
}

// Moves what is not taken to the front, or grows when that is all there is; so a value that is to be held whole stays in one
// piece, and everything else passes through a buffer of one read.
Result<bool> PullParser::more() {
  if (at_end_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
    offset_ += begin_;
    end_ -= begin_;
    begin_ = 0;
  }
  if (capacity_ - end_ < kReadBytes) {
    const std::size_t larger = std::max(2 * kReadBytes, capacity_ * 2);
    char* grown = static_cast<char*>(std::realloc(buffer_.get(), larger));
    if (!grown) return fail(ErrorKind::unavailable, fmt::format("no memory for a value of {} bytes", end_));
    static_cast<void>(buffer_.release());
    buffer_.reset(grown);
    capacity_ = larger;
  }
  HF_TRY(const std::size_t got, source_(buffer_.get() + end_, capacity_ - end_));
  end_ += got;
  if (got == 0) at_end_ = true;
  return got > 0;
}

Result<bool> PullParser::have(std::size_t bytes) {
  while (end_ - begin_ < bytes) {
    HF_TRY(const bool read, more());
    if (!read) return false;
  }
  return true;
}

Result<char> PullParser::next_token() {
  for (;;) {
    while (begin_ < end_ && is_blank(buffer_.get()[begin_])) ++begin_;
    if (begin_ < end_) return buffer_.get()[begin_];
    HF_TRY(const bool read, more());
    if (!read) return broken("the document ends early");
  }
}

Result<void> PullParser::expect(char c, std::string_view what) {
  HF_TRY(const char next, next_token());
  if (next != c) return broken(fmt::format("{} expected", what));
  ++begin_;
  return {};
}

Result<ValueKind> PullParser::kind() {
  HF_TRY(const char first, next_token());
  switch (first) {
    case '{':
      return ValueKind::object;
    case '[':
      return ValueKind::array;
    case '"':
      return ValueKind::string;
    case 't':
    case 'f':
      return ValueKind::boolean;
    case 'n':
      return ValueKind::null;
    default:
      if (first == '-' || (first >= '0' && first <= '9')) return ValueKind::number;
      return broken("a value expected");
  }
}

Result<void> PullParser::enter(char bracket) {
  HF_CHECK(expect(bracket, bracket == '{' ? "an object" : "an array"));
  if (levels_.size() == kMaxDepth) return fail(ErrorKind::too_large, fmt::format("nested deeper than {} levels", kMaxDepth));
  levels_.push_back({bracket == '{', false});
  return {};
}

Result<void> PullParser::enter_object() {
  return enter('{');
}

Result<void> PullParser::enter_array() {
  return enter('[');
}

Result<bool> PullParser::next_item() {
  Level& level = levels_.back();
  HF_TRY(const char next, next_token());
  if (next == (level.object ? '}' : ']')) {
    ++begin_;
    levels_.pop_back();
    return false;
  }
  if (level.started) HF_CHECK(expect(',', level.object ? "a comma or a closing brace" : "a comma or a closing bracket"));
  level.started = true;
  return true;
}

Result<std::optional<std::string>> PullParser::next_key(std::size_t max_bytes) {
  if (levels_.empty() || !levels_.back().object) return fail(ErrorKind::internal, "next_key outside of an object");
  HF_TRY(const bool another, next_item());
  if (!another) return std::nullopt;
  HF_TRY(const char quote, next_token());
  if (quote != '"') return broken("a name expected");
  HF_TRY(std::string key, text(max_bytes));
  HF_CHECK(expect(':', "a colon"));
  return key;
}

Result<bool> PullParser::next_element() {
  if (levels_.empty() || levels_.back().object) return fail(ErrorKind::internal, "next_element outside of an array");
  return next_item();
}

Result<std::string> PullParser::text(std::size_t max_bytes) {
  HF_CHECK(expect('"', "a string"));
  std::string out;
  for (bool going = true; going;) {
    HF_TRY(going, text_piece(out));
    if (out.size() > max_bytes)
      return fail(ErrorKind::too_large, fmt::format("a string of more than {} bytes before byte {}", max_bytes, offset()));
  }
  return out;
}

Result<void> PullParser::text(const Sink& sink) {
  HF_CHECK(expect('"', "a string"));
  std::string piece;
  for (bool going = true; going;) {
    HF_TRY(going, text_piece(piece));
    if (piece.size() < kPieceBytes && going) continue;
    if (!piece.empty()) HF_CHECK(sink(piece));
    piece.clear();
  }
  return {};
}

// Up to the closing quote, or what the buffer holds of it, or some escapes.
Result<bool> PullParser::text_piece(std::string& out) {
  HF_TRY(const bool any, have(1));
  if (!any) return broken("the document ends inside a string");
  const std::size_t limit = out.size() + kPieceBytes;
  while (begin_ < end_ && out.size() < limit) {
    const std::string_view rest(buffer_.get() + begin_, end_ - begin_);
    const std::size_t run = plain_run(rest.substr(0, kPieceBytes));
    out += rest.substr(0, run);
    begin_ += run;
    if (begin_ == end_ || run == kPieceBytes) continue;
    const char special = buffer_.get()[begin_];
    if (special == '"') {
      ++begin_;
      return false;
    }
    if (special != '\\') return broken("a control character inside a string");
    HF_CHECK(escape(out));
  }
  return true;
}

Result<std::uint32_t> PullParser::hex_digits(std::size_t at) const {
  std::uint32_t value = 0;
  const char* from = buffer_.get() + at;
  const auto [end, error] = std::from_chars(from, from + 4, value, 16);
  if (error != std::errc() || end != from + 4) return broken("a broken escape");
  return value;
}

Result<void> PullParser::escape(std::string& out) {
  HF_TRY(const bool two, have(2));
  if (!two) return broken("the document ends inside a string");
  const char kind = buffer_.get()[begin_ + 1];
  if (kind != 'u') {
    const char meaning = short_json_escape(kind);
    if (meaning == 0) return broken("a broken escape");
    out += meaning;
    begin_ += 2;
    return {};
  }
  HF_TRY(const bool six, have(6));
  if (!six) return broken("the document ends inside a string");
  HF_TRY(std::uint32_t code, hex_digits(begin_ + 2));
  std::size_t length = 6;
  if (code >= 0xD800 && code < 0xDC00) {
    HF_TRY(const bool twelve, have(12));
    const char* next = buffer_.get() + begin_ + 6;
    if (twelve && next[0] == '\\' && next[1] == 'u') {
      HF_TRY(const std::uint32_t low, hex_digits(begin_ + 8));
      if (low >= 0xDC00 && low < 0xE000) {
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        length = 12;
      }
    }
  }
  if (code >= 0xD800 && code < 0xE000)
    out += kReplacement;
  else
    append_utf8(out, code);
  begin_ += length;
  return {};
}

Result<std::string> PullParser::scalar() {
  HF_TRY(const char first, next_token());
  if (ends_scalar(first)) return broken("a number or word expected");
  std::string token;
  for (;;) {
    while (begin_ < end_ && !ends_scalar(buffer_.get()[begin_])) {
      token += buffer_.get()[begin_++];
      if (token.size() > kMaxScalarBytes) return broken("a number that is too long");
    }
    if (begin_ < end_) break;
    HF_TRY(const bool read, more());
    if (!read) break;
  }
  if (!is_scalar(token)) return broken("a broken number or word");
  return token;
}

Result<std::uint64_t> PullParser::count() {
  HF_TRY(const std::string token, scalar());
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (error != std::errc() || end != token.data() + token.size()) return broken("a whole number expected");
  return value;
}

Result<bool> PullParser::boolean() {
  HF_TRY(const std::string token, scalar());
  if (token != "true" && token != "false") return broken("true or false expected");
  return token == "true";
}

Result<void> PullParser::null() {
  HF_TRY(const std::string token, scalar());
  if (token != "null") return broken("null expected");
  return {};
}

Result<void> PullParser::skip() {
  const std::size_t outside = levels_.size();
  std::string ignored;
  for (;;) {
    HF_TRY(const ValueKind what, kind());
    if (what == ValueKind::object || what == ValueKind::array) {
      HF_CHECK(enter(what == ValueKind::object ? '{' : '['));
    } else if (what == ValueKind::string) {
      HF_CHECK(expect('"', "a string"));
      for (bool going = true; going; ignored.clear()) {
        HF_TRY(going, text_piece(ignored));
      }
    } else {
      HF_TRY(ignored, scalar());
    }
    // Leaves all that ends here, up to the next value.
    for (bool another = false; !another;) {
      if (levels_.size() == outside) return {};
      if (levels_.back().object) {
        HF_TRY(const auto key, next_key());
        another = key.has_value();
      } else {
        HF_TRY(another, next_element());
      }
    }
  }
}

Result<std::string_view> PullParser::span(std::size_t max_bytes) {
  HF_TRY(const ValueKind what, kind());
  const bool container = what == ValueKind::object || what == ValueKind::array;
  std::size_t at = 0;  // from begin_
  std::size_t depth = 0;
  bool in_string = false;
  for (;;) {
    const char* const bytes = buffer_.get() + begin_;
    const std::size_t size = end_ - begin_;
    for (; at < size; ++at) {
      if (in_string) {
        const std::size_t run = plain_run({bytes + at, size - at});
        at += run;
        if (at == size) break;
        if (bytes[at] == '\\') {
          if (at + 1 == size) break;  // what is escaped is not here yet
          ++at;
          continue;
        }
        if (bytes[at] != '"') return broken("a control character inside a string");
        in_string = false;
      } else {
        const char c = bytes[at];
        if (c == '"')
          in_string = true;
        else if (c == '{' || c == '[')
          ++depth;
        else if (c == '}' || c == ']')
          depth -= depth > 0 ? 1 : 0;
        else
          continue;
      }
      if (depth == 0 && !in_string && (container || what == ValueKind::string)) {
        if (at >= max_bytes) break;
        begin_ += at + 1;
        return std::string_view(bytes, at + 1);
      }
    }
    if (at >= max_bytes)
      return fail(ErrorKind::too_large, fmt::format("a value of more than {} bytes at byte {}", max_bytes, offset()));
    if (!container && what != ValueKind::string) return broken("a number or word where text was asked for");
    HF_TRY(const bool read, more());
    if (!read) return broken("the document ends inside a value");
  }
}

Result<std::optional<std::string_view>> PullParser::rest_of_line(std::size_t max_bytes) {
  std::size_t seen = 0;
  for (;;) {
    const char* const from = buffer_.get() + begin_;
    const std::size_t size = end_ - begin_;
    if (size > seen) {
      if (const void* newline = std::memchr(from + seen, '\n', size - seen))
        return std::string_view(from, static_cast<std::size_t>(static_cast<const char*>(newline) - from));
    }
    seen = size;
    if (seen > max_bytes) return std::nullopt;
    HF_TRY(const bool read, more());
    if (!read) return std::string_view(buffer_.get() + begin_, end_ - begin_);
  }
}

Result<void> PullParser::finish() {
  if (!levels_.empty()) return fail(ErrorKind::internal, "finish inside of a value");
  for (;;) {
    while (begin_ < end_ && is_blank(buffer_.get()[begin_])) ++begin_;
    if (begin_ < end_) return broken("something behind the end of the document");
    HF_TRY(const bool read, more());
    if (!read) return {};
  }
}

}  // namespace holdfast::jsonl
