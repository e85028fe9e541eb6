#include "store/index/fold.h"

#include "base/text/text.h"
#include "store/index/limits.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

namespace holdfast::store::index {
namespace {

constexpr std::size_t kMarkEvery = 1024;
// Of a run beyond ASCII that is folded in one piece; real text has blanks or characters that are folded alone long before. No
// letter is cut from its marks, but from marks without end.
constexpr std::size_t kPieceBytes = 512, kMostPieceBytes = 4096;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool is_space_byte(unsigned char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

constexpr std::array<char, 128> kLower = [] {
  std::array<char, 128> lower{};
  for (std::size_t c = 0; c < 128; ++c) lower[c] = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return lower;
}();

constexpr std::uint64_t kOnes = 0x0101010101010101, kHighs = 0x8080808080808080;

// Of eight ASCII bytes, the high bit of those below `limit` (1..128).
constexpr std::uint64_t below(std::uint64_t bytes, unsigned limit) {
  return ~(bytes + kOnes * (0x80 - limit)) & kHighs;
}
constexpr std::uint64_t lowered(std::uint64_t bytes) {
  const std::uint64_t capitals = below(bytes, 'Z' + 1) & ~below(bytes, 'A');
  return bytes | (capitals >> 2);
}

// The length of the character, 0 when it is none.
std::size_t decode(std::string_view text, std::size_t at, std::uint32_t& code_point) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const std::size_t left = text.size() - at;
  const unsigned first = byte(0);
  if (first >= 0xC2 && first < 0xE0 && left >= 2 && follows(1)) {
    code_point = (first & 0x1F) << 6 | (byte(1) & 0x3Fu);
    return 2;
  }
  if (first >= 0xE0 && first < 0xF0 && left >= 3 && follows(1) && follows(2)) {
    code_point = (first & 0x0F) << 12 | (byte(1) & 0x3Fu) << 6 | (byte(2) & 0x3Fu);
    return code_point >= 0x800 && (code_point < 0xD800 || code_point > 0xDFFF) ? 3 : 0;
  }
  if (first >= 0xF0 && first < 0xF5 && left >= 4 && follows(1) && follows(2) && follows(3)) {
    code_point = (first & 0x07) << 18 | (byte(1) & 0x3Fu) << 12 | (byte(2) & 0x3Fu) << 6 | (byte(3) & 0x3Fu);
    return code_point >= 0x10000 && code_point <= 0x10FFFF ? 4 : 0;
  }
  return 0;
}

// Characters that no folding changes and that no mark behind them is composed with: copied as they are. They are most of what is
// not ASCII in transcripts: ideographs, quotation marks, dashes, bullets, boxes.
bool stays(std::uint32_t c) {
  return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x3001 && c <= 0x3003) ||
         (c >= 0x3008 && c <= 0x3011) || (c >= 0x2013 && c <= 0x2014) || (c >= 0x2018 && c <= 0x2019) ||
         (c >= 0x201C && c <= 0x201D) || c == 0x2022 || (c >= 0x2500 && c <= 0x259F);
}

// White space that NFKC leaves as it is: the ends of lines and paragraphs, next line, the ogham mark.
bool is_other_blank(std::uint32_t c) {
  return c == 0x2028 || c == 0x2029 || c == 0x85 || c == 0x1680;
}

// Whether it may be composed with the letter before it: marks, and the later parts of a Korean syllable.
bool joins(std::uint32_t c) {
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_MC || category == UTF8PROC_CATEGORY_ME ||
         (c >= 0x1160 && c <= 0x11FF);
}

}  // namespace

bool lower_ascii(std::string_view text, std::string& to) {
  if (to.size() < text.size() + 8) to.resize(text.size() + 8);
  char* out = to.data();
  std::uint64_t high = 0;
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + at, 8);
    high |= bytes;
    bytes = lowered(bytes & ~kHighs);
    std::memcpy(out + at, &bytes, 8);
  }
  for (; at < text.size(); ++at) {
    high |= static_cast<unsigned char>(text[at]);
    out[at] = kLower[static_cast<unsigned char>(text[at]) & 0x7F];
  }
  return (high & kHighs) == 0;
}

void FoldedText::reserve(std::size_t more) {
  if (size_ + more + kPadding > bytes_.size()) bytes_.resize((size_ + more + kPadding) * 3 / 2);
}

void FoldedText::mark(std::size_t at) {
  if (marks_.empty() || size_ - marks_.back().first >= kMarkEvery) marks_.emplace_back(size_, at);
}

void FoldedText::assign(std::string_view text) {
  size_ = 0;
  marks_.clear();
  reserve(text.size());
  for (std::size_t at = 0; at < text.size();)
    at = static_cast<unsigned char>(text[at]) < 0x80 ? fold_plain(text, at) : fold_beyond(text, at);
  reserve(0);
  std::memset(bytes_.data() + size_, 0, kPadding);
}

std::size_t FoldedText::fold_plain(std::string_view text, std::size_t at) {
  reserve(text.size() - at);
  char* out = bytes_.data();
  while (at < text.size()) {
    mark(at);
    const std::size_t stop = std::min(text.size(), at + kMarkEvery);
    while (at < stop) {
      // Eight at a time while there is no white space but single blanks.
      while (at + 8 <= stop) {
        std::uint64_t bytes = 0;
        std::memcpy(&bytes, text.data() + at, 8);
        if ((bytes & kHighs) != 0 || below(bytes, ' ') != 0) break;
        const std::uint64_t blanks = below(bytes, ' ' + 1);
        if ((blanks & (blanks << 8)) != 0 || ((blanks & 0x80) != 0 && size_ > 0 && out[size_ - 1] == ' ')) break;
        bytes = lowered(bytes);
        std::memcpy(out + size_, &bytes, 8);
        size_ += 8;
        at += 8;
      }
      const std::size_t careful = std::min(stop, at + 8);
      for (; at < careful; ++at) {
        const auto c = static_cast<unsigned char>(text[at]);
        if (c >= 0x80) return at;
        if (!is_space_byte(c))
          out[size_++] = kLower[c];
        else if (size_ == 0 || out[size_ - 1] != ' ')
          out[size_++] = ' ';
      }
    }
  }
  return at;
}

std::size_t FoldedText::fold_beyond(std::string_view text, std::size_t at) {
  mark(at);
  std::uint32_t code_point = 0;
  std::size_t length = decode(text, at, code_point);
  if (length == 0 || stays(code_point)) {
    reserve(4);
    const std::string_view character = length == 0 ? kReplacement : text.substr(at, length);
    std::memcpy(bytes_.data() + size_, character.data(), character.size());
    size_ += character.size();
    return at + std::max<std::size_t>(length, 1);
  }
  if (is_other_blank(code_point)) {
    reserve(1);
    if (size_ == 0 || bytes_[size_ - 1] != ' ') bytes_[size_++] = ' ';
    return at + length;
  }
  // Marks are composed with the letter before them, so an ASCII letter in front is folded with them.
  const std::size_t most = std::min(text.size(), at + kMostPieceBytes);
  std::size_t end = at;
  while (end < most && (length = decode(text, end, code_point)) != 0 && !stays(code_point) && !is_other_blank(code_point) &&
         (end - at < kPieceBytes || joins(code_point)))
    end += length;
  std::string piece;
  if (size_ > 0 && at > 0 && static_cast<unsigned char>(text[at - 1]) < 0x80 && bytes_[size_ - 1] != ' ') piece = bytes_[--size_];
  piece += text.substr(at, end - at);
  const std::string folded = fold_case(piece);
  reserve(folded.size());
  for (const char c : folded) {  // NFKC makes blanks of other white space
    if (c == ' ' && size_ > 0 && bytes_[size_ - 1] == ' ') continue;
    bytes_[size_++] = c;
  }
  return end;
}

std::size_t FoldedText::original_offset(std::string_view text, std::size_t offset) const {
  auto next = std::upper_bound(marks_.begin(), marks_.end(), offset, [](std::size_t at, const auto& m) { return at < m.first; });
  if (next == marks_.begin()) return std::min(offset, text.size());
  const auto [folded_begin, original_begin] = *--next;
  // ASCII is walked through: a character is a byte, but for white space behind white space.
  std::size_t original = original_begin;
  for (std::size_t folded = folded_begin; original < text.size(); ++original) {
    const auto c = static_cast<unsigned char>(text[original]);
    if (c >= 0x80) break;
    if (is_space_byte(c) && folded > 0 && bytes_[folded - 1] == ' ') continue;
    if (folded++ == offset) return original;
  }
  if (original == text.size()) return original;
  // The folding of the part since the mark, once more, until it is long enough.
  FoldedText part;
  std::size_t at = original_begin;
  const std::size_t wanted = offset - folded_begin;
  constexpr std::size_t kLongestCharacter = 4;  // bytes of UTF-8
  for (std::size_t step = 512; step > 0 && at < text.size();) {
    std::size_t end = at + 1;
    if (step >= kLongestCharacter)
      end = at + std::max<std::size_t>(utf8_prefix(text.substr(at), step).size(), 1);
    else
      while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) ++end;
    part.assign(text.substr(original_begin, end - original_begin));
    if (part.size() <= wanted)
      at = end;
    else
      step = step >= kLongestCharacter ? step / 2 : 0;
  }
  return at;
}

void FoldedText::shrink() {
  if (bytes_.size() <= kKeptBytes) return;
  bytes_ = std::vector<char>(kPadding);
  size_ = 0;
  marks_ = {};
}

}  // namespace holdfast::store::index
