#pragma once

// What the index keeps of folded text, and what a query asks it for: both are cut here.
//
// A word is a run of letters, marks and digits; Chinese, Japanese and Korean signs are terms in overlapping pairs, and the last
// of a run alone. Neighbours are two words with a single byte between them. An edge is a place where a word (or such a sign) and
// another sign, no blank, meet. Words are cut at kMaxWordBytes for terms, their true ends stay where they are.

#include "search/index/segment/key_hash.h"
#include "search/words/fold.h"
#include "search/words/words.h"

#include <algorithm>
#include <array>

namespace holdfast::search {

enum class SignKind : std::uint8_t { sign, blank, letter, paired };

inline constexpr std::array<SignKind, 256> kAsciiKinds = [] {
  std::array<SignKind, 256> kinds{};
  kinds[' '] = SignKind::blank;
  for (std::size_t c = 'a'; c <= 'z'; ++c) kinds[c] = SignKind::letter;
  for (std::size_t c = '0'; c <= '9'; ++c) kinds[c] = SignKind::letter;
  return kinds;
}();

// Of the character at text[at], beyond ASCII; sets its length.
SignKind kind_beyond_ascii(std::string_view text, std::size_t at, std::size_t& length);

inline SignKind kind_at(std::string_view text, std::size_t at, std::size_t& length) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte >= 0x80) return kind_beyond_ascii(text, at, length);
  length = 1;
  return kAsciiKinds[byte];
}
// Of the character that ends before text[end].
SignKind kind_before(std::string_view text, std::size_t end);

inline bool is_word_sign(SignKind kind) {
  return kind == SignKind::letter || kind == SignKind::paired;
}

// Sink: word(begin, end, hash of the cut word), pair(begin, end, whether it is the last sign alone),
//       neighbours(begin of the left word, end of the right one, key), edge(key).
template <class Sink>
void scan_tokens(const FoldedText& folded, const KeyHash& hash, Sink& sink) {
  const std::string_view text = folded.view();
  const std::size_t size = text.size();
  std::size_t left_begin = 0, left_end = size + 1;  // of the word before
  std::uint64_t left_hash = 0;
  std::size_t word_end = size + 1;  // of the last run of either kind
  SignKind before = SignKind::blank;
  std::size_t at = 0, length = 1;
  while (at < size) {
    const SignKind kind = kind_at(text, at, length);
    if (!is_word_sign(kind)) {
      before = kind;
      at += length;
      continue;
    }
    const std::size_t begin = at;
    SignKind behind = SignKind::blank;
    std::size_t previous = at;  // the last sign of the run begins here
    for (at += length; at < size; at += length) {
      behind = kind_at(text, at, length);
      if (behind != kind) break;
      if (kind == SignKind::paired) sink.pair(previous, at + length, false);
      previous = at;
    }
    if (at == size) behind = SignKind::blank;
    if (before == SignKind::sign) {
      if (begin >= 1 && begin + 3 <= size) sink.edge(hash.edge(text.data() + begin - 1));
      if (word_end + 1 == begin) {
        if (begin >= 4) sink.edge(hash.joint(text.data() + begin - 4));
        if (begin >= 2 && begin + 3 <= size) sink.edge(hash.joint(text.data() + begin - 2));
      }
    }
    if (kind == SignKind::paired) {
      sink.pair(previous, at, true);
    } else {
      const std::uint64_t number = hash.word(text.data() + begin, std::min(at - begin, kMaxWordBytes));
      sink.word(begin, at, number);
      if (left_end + 1 == begin && before == SignKind::blank) sink.neighbours(left_begin, at, hash.neighbours(left_hash, number));
      left_begin = begin;
      left_end = at;
      left_hash = number;
    }
    if (behind == SignKind::sign && at >= 3 && at + 1 <= size) sink.edge(hash.edge(text.data() + at - 3));
    word_end = at;
    before = kind;
  }
}

}  // namespace holdfast::search
