#pragma once

// Words, cut where characters.h says. Two lists of them, for two ways of asking.
//
// Ranked (scan_words): what a text is about, for the indexes of documents and research. An identifier is found as a whole, its
// parts joined, and by each part: retry_policy and RetryPolicy are "retrypolicy", "retry", "policy". Runs of characters that are
// words by themselves (Chinese, Thai, Korean) become overlapping pairs.
//
// Exact (each_word, spaced_words): where a text may hold what is asked for, for the indexes of stores. Each word once, as it
// stands in folded text (fold.h), so that a text that matches has all words that the question has (text_search.h).
//
// Either way a word is folded (NFKC, case), and cut after kMaxWordBytes; broken UTF-8 separates words.

#include "search/words/characters.h"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::search {

// Longer ones are digests, encoded bytes and attacks: their start tells them apart well enough.
inline constexpr std::size_t kMaxWordBytes = 64;
// What has more parts is encoded bytes, not a name.
inline constexpr std::size_t kMaxWordParts = 8;

class WordSink {
 public:
  virtual ~WordSink() = default;
  virtual void word(std::string_view folded) = 0;  // the view ends with the call
};

// Gives every word of the text to the sink, in order.
void scan_words(std::string_view text, WordSink& sink);

// The same as a list.
std::vector<std::string> words_of(std::string_view text);

// Calls on_word(begin, end, kind) with every word of folded text.
template <class OnWord>
void each_word(std::string_view folded, OnWord&& on_word) {
  for (std::size_t at = 0, length = 0; at < folded.size();) {
    const std::size_t begin = at;
    const CharacterKind kind = kind_at(folded, at, length);
    at += length;
    if (!is_of_word(kind)) continue;
    if (kind == CharacterKind::letter)
      while (at < folded.size() && kind_at(folded, at, length) == kind) at += length;
    on_word(begin, at, kind);
  }
}
// " word word word ": each word with one blank before it, and one at the end; "" without any word.
std::string spaced_words(std::string_view text);

// Words of English that say nothing about what a text is about.
bool is_stop_word(std::string_view word);

}  // namespace holdfast::search
