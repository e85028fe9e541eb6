#include "kinds/transcripts/lines/line_glance.h"

#include <cstdint>
#include <cstring>

namespace holdfast::transcripts {
namespace {

constexpr std::uint64_t kHighs = 0x8080808080808080;

char small(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}

// Of JSON: what is written otherwise than it is meant, or may be.
bool is_spelled_one_way(char c) {
  return c != ' ' && c != '"' && c != '\\' && c != '/' && static_cast<unsigned char>(c) >= 0x20 && c != '\x7F';
}

// Bytes of white space at text[at], as JSON spells it.
std::size_t blank_at(std::string_view text, std::size_t at) {
  if (at < text.size() && text[at] == ' ') return 1;
  if (at + 1 >= text.size() || text[at] != '\\') return 0;
  const char kind = text[at + 1];
  return kind == 'n' || kind == 't' || kind == 'r' || kind == 'f' ? 2 : 0;
}

bool has_doubtful_character(std::string_view line) {
  for (std::size_t at = 0; at < line.size();) {
    std::uint64_t bytes = 0;
    if (at + 8 <= line.size()) {
      std::memcpy(&bytes, line.data() + at, 8);
      if ((bytes & kHighs) == 0) {
        at += 8;
        continue;
      }
    }
    std::size_t length = 1;
    if (static_cast<unsigned char>(line[at]) >= 0x80 && !folds_beyond_ascii(line, at, length)) return true;
    at += length;
  }
  return false;
}

}  // namespace

bool folds_beyond_ascii(std::string_view text, std::size_t at, std::size_t& length) {
  const auto byte = [&](std::size_t i) { return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U; };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const unsigned first = byte(0), second = byte(1), third = byte(2);
  if (!follows(1)) return false;
  length = 2;
  // Latin letters with their marks in one character (without ß), Cyrillic.
  if (first == 0xC3) return second != 0x9F;
  if (first >= 0xD0 && first <= 0xD3) return true;
  if (!follows(2)) return false;
  length = 3;
  // Dashes, quotation marks, the bullet; arrows, operators, technical signs; boxes, shapes, dingbats, braille (spinners).
  if (first == 0xE2 && second == 0x80)
    return third == 0x93 || third == 0x94 || third == 0x98 || third == 0x99 || third == 0x9C || third == 0x9D || third == 0xA2;
  if (first == 0xE2 && second == 0x86) return third >= 0x90;
  if (first == 0xE2) return (second >= 0x87 && second <= 0x8F) || (second >= 0x94 && second <= 0xA3);
  // Ideographs, and the points and brackets that stand between them.
  if (first == 0xE3 && second == 0x80) return (third >= 0x81 && third <= 0x83) || (third >= 0x88 && third <= 0x91);
  if (first >= 0xE4 && first <= 0xE9) return first != 0xE4 || second >= 0xB8;
  if (!follows(3)) return false;
  length = 4;
  return first == 0xF0 && second == 0x9F && third >= 0x8C && third <= 0x9B;  // pictures
}

LineGlance::LineGlance(const session::Wanted& wanted, bool nested) {
  for (const std::string& piece : wanted.pieces) {
    // One that is sought in nested JSON is its plain parts, each alone.
    for (std::size_t begin = 0; begin < piece.size();) {
      while (begin < piece.size() && !is_spelled_one_way(piece[begin])) ++begin;
      std::size_t end = begin;
      while (end < piece.size() && is_spelled_one_way(piece[end])) ++end;
      if (begin == end) break;
      const std::string_view opening = std::string_view(piece).substr(begin, end - begin);
      const bool behind_slash = begin > 0 && piece[begin - 1] == '/';
      pieces_.push_back({nested ? std::string(opening) : piece.substr(begin), ByteFinder(opening), behind_slash});
      if (!nested) break;
      begin = end;
    }
  }
}

// From the opening on, character by character. The end of a string may be a blank: the strings of a passage stand below each
// other.
bool LineGlance::stands_in(const Piece& piece, std::string_view line) {
  const std::string_view bytes = piece.bytes;
  const std::size_t opening = piece.opening.what().size();
  for (std::size_t place = piece.opening.find_any_case(line); place != std::string_view::npos;
       place = piece.opening.find_any_case(line, place + 1)) {
    if (piece.behind_slash && (place == 0 || line[place - 1] != '/')) continue;
    std::size_t at = place + opening, sought = opening;
    bool fits = true;
    for (; sought < bytes.size() && fits; ++sought) {
      const char c = bytes[sought];
      if (static_cast<unsigned char>(c) < 0x20) return true;  // escaped in one way or another
      if (c == ' ') {
        std::size_t blank = blank_at(line, at);
        if (blank == 0 && at < line.size() && line[at] == '"') return true;
        fits = blank > 0;
        for (; blank > 0; blank = blank_at(line, at)) at += blank;
        // A blank may go on behind the end of the string, too.
        if (fits && at < line.size() && line[at] == '"') return true;
        continue;
      }
      if (c == '"' || c == '\\' || (c == '/' && at < line.size() && line[at] == '\\')) {
        fits = at < line.size() && line[at] == '\\';
        ++at;
      }
      fits = fits && at < line.size() && small(line[at]) == c;
      ++at;
    }
    if (fits) return true;
  }
  return false;
}

bool LineGlance::may_hold(std::string_view line) const {
  for (const Piece& piece : pieces_) {
    if (stands_in(piece, line)) continue;
    // An escaped character may be any; asked last, because most lines have none.
    static const ByteFinder kEscaped("\\u");
    return kEscaped.find(line) != std::string_view::npos || (has_beyond_ascii(line) && has_doubtful_character(line));
  }
  return true;
}

}  // namespace holdfast::transcripts
