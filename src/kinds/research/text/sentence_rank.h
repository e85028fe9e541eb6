#pragma once

// Which sentences of some sources answer a question best: BM25 over sentences, with endings taken off, the words of the section
// heading, the title and the sentences around counted a little, words that name no subject ("nobody", "keep") counted less, other
// words for the same for a part, names made of special characters ("--delete") as they stand, and sentences that look like an
// answer first. A sentence that begins with "It" or "The default" is quoted with the one before. Ties go to the
// earlier source and the earlier sentence, so that the order is always the same.

#include "kinds/research/run/run_state.h"
#include "kinds/research/text/sentences.h"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::research {

struct RankedSentence {
  std::string text;
  std::string core;  // the sentence that was ranked: all of the text, or its end
  const Source* source = nullptr;
  std::vector<std::string> stems;
  double score = 0;
  double coverage = 0;    // part of the question's subject words it has, with heading and title: 0..1
  std::size_t place = 0;  // among all sentences, in the order of sources and text
};

class SentenceRanking {
 public:
  explicit SentenceRanking(const std::vector<const Source*>& sources);

  // Best first; only sentences with at least one word of the question's subject.
  std::vector<RankedSentence> best(std::string_view question, std::size_t limit) const;
  // Whether any sentence, heading or title has the word.
  bool mentions(const std::string& stem) const;

 private:
  struct Candidate {
    const Source* source;
    std::string text;
    std::vector<std::string> words;    // stems, with repetitions
    std::vector<std::string> context;  // stems of heading and title
    std::vector<std::string> entry;    // stems of the term it explains
    std::vector<std::string> before;   // stems of the sentences before it in its paragraph
    std::string written;               // text, as a reader finds it, with what stands before it when it needs that
    bool points = false;               // and says nothing
    bool opens = false;                // what is said about its entry
    bool command = false;              // a line of code with a remark
  };
  // How much of a question's word the sentence has: 1 for the word, less for what stands for it or near it.
  struct Term;
  static std::vector<Term> terms_of(std::string_view question);
  static double presence(const Term& term, const Candidate& candidate);
  double weight_of(const std::string& stem) const;

  std::vector<Candidate> candidates_;
  std::map<std::string, std::size_t, std::less<>> holding_;  // sentences that have the stem
  double mean_length_ = 0;
};

// Stems of the question that name its subject; all of them when there are none but those of its intent.
std::vector<std::string> subject_stems(std::string_view question);

// The share of the shorter one's stems that the other has, too.
double likeness(const std::vector<std::string>& a, const std::vector<std::string>& b);

}  // namespace holdfast::research
