#pragma once

// What the index keeps of folded text, and what a query asks it for: both are cut here.
//
// A word is a run of letters, marks and digits; Chinese, Japanese and Korean characters are terms in overlapping pairs, and the
// last of a run alone. Neighbours are two words with a single byte between them. An edge is a place where a word (or such a
// character) and another character, no blank, meet. Words are cut at kMaxWordBytes for terms, their true ends stay where they
// are.

#include "store/index/fold.h"
#include "store/index/limits.h"
#include "store/index/segment/key_hash.h"

#include <algorithm>
#include <array>

namespace holdfast::store::index {

enum class CharacterKind : std::uint8_t { other, blank, letter, paired };

inline constexpr std::array<CharacterKind, 256> kAsciiKinds = [] {
  std::array<CharacterKind, 256> kinds{};
  kinds[' '] = CharacterKind::blank;
  for (std::size_t c = 'a'; c <= 'z'; ++c) kinds[c] = CharacterKind::letter;
  for (std::size_t c = '0'; c <= '9'; ++c) kinds[c] = CharacterKind::letter;
  return kinds;
}();

// Of the character at text[at], beyond ASCII; sets its length.
CharacterKind kind_beyond_ascii(std::string_view text, std::size_t at, std::size_t& length);

inline CharacterKind kind_at(std::string_view text, std::size_t at, std::size_t& length) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte >= 0x80) return kind_beyond_ascii(text, at, length);
  length = 1;
  return kAsciiKinds[byte];
}
// Of the character that ends before text[end].
CharacterKind kind_before(std::string_view text, std::size_t end);

inline bool is_word_character(CharacterKind kind) {
  return kind == CharacterKind::letter || kind == CharacterKind::paired;
}

// Sink: word(begin, end, hash of the cut word), pair(begin, end, whether it is the last character alone),
//       neighbours(begin of the left word, end of the right one, key), edge(key).
template <class Sink>
void scan_tokens(const FoldedText& folded, const KeyHash& hash, Sink& sink) {
  const std::string_view text = folded.view();
  const std::size_t size = text.size();
  std::size_t left_begin = 0, left_end = size + 1;  // of the word before
  std::uint64_t left_hash = 0;
  std::size_t word_end = size + 1;  // of the last run of either kind
  CharacterKind before = CharacterKind::blank;
  std::size_t at = 0, length = 1;
  while (at < size) {
    const CharacterKind kind = kind_at(text, at, length);
    if (!is_word_character(kind)) {
      before = kind;
      at += length;
      continue;
    }
    const std::size_t begin = at;
    CharacterKind behind = CharacterKind::blank;
    std::size_t previous = at;  // the last character of the run begins here
    for (at += length; at < size; at += length) {
      behind = kind_at(text, at, length);
      if (behind != kind) break;
      if (kind == CharacterKind::paired) sink.pair(previous, at + length, false);
      previous = at;
    }
    if (at == size) behind = CharacterKind::blank;
    if (before == CharacterKind::other) {
      if (begin >= 1 && begin + 3 <= size) sink.edge(hash.edge(text.data() + begin - 1));
      if (word_end + 1 == begin) {
        if (begin >= 4) sink.edge(hash.joint(text.data() + begin - 4));
        if (begin >= 2 && begin + 3 <= size) sink.edge(hash.joint(text.data() + begin - 2));
      }
    }
    if (kind == CharacterKind::paired) {
      sink.pair(previous, at, true);
    } else {
      const std::uint64_t number = hash.word(text.data() + begin, std::min(at - begin, kMaxWordBytes));
      sink.word(begin, at, number);
      if (left_end + 1 == begin && before == CharacterKind::blank)
        sink.neighbours(left_begin, at, hash.neighbours(left_hash, number));
      left_begin = begin;
      left_end = at;
      left_hash = number;
    }
    if (behind == CharacterKind::other && at >= 3 && at + 1 <= size) sink.edge(hash.edge(text.data() + at - 3));
    word_end = at;
    before = kind;
  }
}

}  // namespace holdfast::store::index
