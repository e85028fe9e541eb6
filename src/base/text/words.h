#pragma once

// Text as the indexes of research and documents see it: folded words.
//
// A word is a run of letters, marks and digits of any script, folded (NFKC, case). An identifier is found as a whole, its parts
// joined, and by each part: retry_policy and RetryPolicy are "retrypolicy", "retry", "policy". Scripts written without blanks
// (Chinese, Japanese, Korean) become overlapping pairs of characters. A word is cut after kMaxWordBytes. Broken UTF-8 separates
// words.

#include <string>
#include <string_view>
#include <vector>

namespace holdfast {

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
// Words of English that say nothing about what a text is about.
bool is_stop_word(std::string_view word);

}  // namespace holdfast
