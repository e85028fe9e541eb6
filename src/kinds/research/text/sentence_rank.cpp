#include "kinds/research/text/sentence_rank.h"

#include "base/text/bm25.h"
#include "base/text/words.h"
#include "kinds/research/engine/claims.h"
#include "kinds/research/text/stems.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace holdfast::research {

namespace {

// Shorter ones are labels, longer ones are tables and lists that were not recognised: neither reads well as a quotation.
constexpr std::size_t kLeastWords = 4;
constexpr std::size_t kLeastWordsOfRow = 2;  // its head says what they are about
constexpr std::size_t kMostCharacters = 600;
constexpr std::size_t kMostSentencesOfSource = 5000;  // of a 2 MiB page; bounds time and memory
// A word of the heading or title is about the sentence, but not in it.
constexpr double kContextOccurrence = 0.4;
// "What did we decide": a sentence that tells a decision is worth this many times one that does not.
constexpr double kIntentFactor = 2.0;
// And one that uses the very word of the question is the clearest answer.
constexpr double kSameWordFactor = 3.0;
// Questions and contents of forms are about the subject without saying anything about it.
constexpr double kQuestionFactor = 0.5;

// A heading, a label, an item without a verb: a sentence that says the same says it better.
constexpr double kFragmentFactor = 0.7;
// "How many", and the like, is answered with a number.
constexpr double kNumberFactor = 1.4;

bool is_row(std::string_view text) {
  return text.starts_with('|');
}

bool is_fragment(std::string_view text) {
  constexpr std::string_view kEnds = ".!?:;)\"'`*_";
  return !is_row(text) && !text.empty() && kEnds.find(text.back()) == kEnds.npos &&
         static_cast<unsigned char>(text.back()) < 0x80;
}

bool asks_for_a_number(std::string_view question) {
  constexpr auto kAfterHow =
      std::to_array<std::string_view>({"big", "far", "fast", "large", "long", "many", "much", "often", "old"});
  constexpr auto kNames = std::to_array<std::string_view>({"limit", "maximum", "minimum", "number", "percent", "port", "size"});
  const std::vector<std::string> words = words_of(question);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (std::ranges::find(kNames, std::string_view(words[i])) != kNames.end()) return true;
    if (i > 0 && words[i - 1] == "how" && std::ranges::find(kAfterHow, std::string_view(words[i])) != kAfterHow.end())
      return true;
  }
  return false;
}

// Prose, not code or numbers: mostly letters. Cells of a table are numbers and names more often, and that is what they are for.
bool reads_well(const std::string& text) {
  const std::size_t least = is_row(text) ? 3 : 6;  // tenths
  if (text.size() > kMostCharacters) return false;
  const auto letters = std::ranges::count_if(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == ' ' || static_cast<unsigned char>(c) >= 0x80;
  });
  return static_cast<std::size_t>(letters) * 10 >= text.size() * least;
}

std::vector<std::string> stems_in(std::string_view text) {
  std::vector<std::string> stems;
  for (const std::string& word : words_of(text)) stems.push_back(stem_of(word));
  return stems;
}

}  // namespace

std::vector<std::string> subject_stems(std::string_view question) {
  const Intent intent = intent_of(question);
  std::vector<std::string> all = content_stems(question), subject;
  for (const std::string& stem : all)
    if (!intent.asked.contains(stem) && !is_plain_word(stem)) subject.push_back(stem);
  return subject.empty() ? all : subject;
}

double likeness(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  const std::set<std::string_view> in_a(a.begin(), a.end()), in_b(b.begin(), b.end());
  const auto& small = in_a.size() <= in_b.size() ? in_a : in_b;
  const auto& large = in_a.size() <= in_b.size() ? in_b : in_a;
  if (small.empty()) return 0;
  const auto shared = std::ranges::count_if(small, [&](std::string_view stem) { return large.contains(stem); });
  return static_cast<double>(shared) / static_cast<double>(small.size());
}

SentenceRanking::SentenceRanking(const std::vector<const Source*>& sources) {
  std::size_t words = 0;
  for (const Source* source : sources) {
    const std::vector<std::string> title = stems_in(source->title);
    std::size_t taken = 0;
    for (Sentence& sentence : sentences_of(source->text())) {
      if (++taken > kMostSentencesOfSource) break;
      if (!reads_well(sentence.text)) continue;
      Candidate candidate{source, std::move(sentence.text), {}, stems_in(sentence.heading)};
      candidate.words = stems_in(candidate.text);
      if (candidate.words.size() < (is_row(candidate.text) ? kLeastWordsOfRow : kLeastWords)) continue;
      candidate.context.insert(candidate.context.end(), title.begin(), title.end());
      words += candidate.words.size();
      std::set<std::string> held(candidate.words.begin(), candidate.words.end());
      held.insert(candidate.context.begin(), candidate.context.end());
      for (const std::string& stem : held) ++holding_[stem];
      candidates_.push_back(std::move(candidate));
    }
  }
  if (!candidates_.empty()) mean_length_ = static_cast<double>(words) / static_cast<double>(candidates_.size());
}

bool SentenceRanking::mentions(const std::string& stem) const {
  return holding_.contains(stem);
}

std::vector<RankedSentence> SentenceRanking::best(std::string_view question, std::size_t limit) const {
  const std::vector<std::string> subject = subject_stems(question);
  const Intent intent = intent_of(question);
  const std::vector<std::string> asked = content_stems(question);
  const bool wants_number = asks_for_a_number(question);
  std::vector<RankedSentence> ranked;
  for (std::size_t place = 0; place < candidates_.size(); ++place) {
    const Candidate& candidate = candidates_[place];
    const double norm = length_norm(static_cast<double>(candidate.words.size()), mean_length_);
    double score = 0;
    std::size_t covered = 0;
    for (const std::string& stem : subject) {
      // A sentence that says a word twice is not twice as much about it: it is there, around it, or not.
      const bool has = std::ranges::find(candidate.words, stem) != candidate.words.end();
      const bool in_context = std::ranges::find(candidate.context, stem) != candidate.context.end();
      if (!has && !in_context) continue;
      const double occurrences = has ? 1 : kContextOccurrence;
      ++covered;
      const auto holding = holding_.find(stem);
      const double weight = word_weight(static_cast<double>(candidates_.size()), static_cast<double>(holding->second));
      score += weight * term_score(occurrences, norm);
    }
    if (covered == 0) continue;
    RankedSentence sentence{candidate.text, candidate.source, candidate.words, score, 0, place};
    sentence.coverage = static_cast<double>(covered) / static_cast<double>(subject.size());
    sentence.score *= 0.5 + 0.5 * sentence.coverage;
    const auto answers = [&](const std::string& stem) { return intent.answered.contains(stem); };
    const auto same_word = [&](const std::string& stem) {
      return answers(stem) && std::ranges::find(asked, stem) != asked.end();
    };
    if (std::ranges::any_of(candidate.words, same_word))
      sentence.score *= kSameWordFactor;
    else if (std::ranges::any_of(candidate.words, answers))
      sentence.score *= kIntentFactor;
    if (candidate.text.ends_with('?')) sentence.score *= kQuestionFactor;
    if (is_fragment(candidate.text)) sentence.score *= kFragmentFactor;
    if (wants_number && !claim_of(candidate.text).numbers.empty()) sentence.score *= kNumberFactor;
    ranked.push_back(std::move(sentence));
  }
  // Rounded, so that the last bits of a sum cannot change the order on another machine; then as they stand in the sources.
  std::ranges::sort(
      ranked, {}, [](const RankedSentence& sentence) { return std::pair(-std::llround(sentence.score * 1e6), sentence.place); });
  if (ranked.size() > limit) ranked.resize(limit);
  return ranked;
}

}  // namespace holdfast::research
