#pragma once

// Text as the index sees it: folded words (corpus.h, words_of), and a number for each.
//
// A word is a run of letters, marks and digits of any script, folded (NFKC, case). An identifier is found as a whole, its parts
// joined, and by each part: retry_policy and RetryPolicy are "retrypolicy", "retry", "policy". Scripts written without blanks
// (Chinese, Japanese, Korean) become overlapping pairs of signs. A word is cut after kMaxWordBytes. Broken UTF-8 separates words.

#include <cstdint>
#include <string_view>

namespace holdfast::research {

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

// A 64-bit number for bytes, by a secret: who writes documents cannot choose two words that fall together. Not a digest: it finds
// changes that were not made to deceive it.
class ByteHash {
 public:
  struct Seed {
    std::uint64_t first = 0, second = 0;
  };
  static Seed random_seed();

  explicit ByteHash(Seed seed) : seed_(seed) {}
  std::uint64_t operator()(std::string_view bytes) const;

 private:
  Seed seed_;
};

}  // namespace holdfast::research
