#include "search/query/ranked_query.h"

#include "search/query/text_query.h"
#include "search/words/words.h"

#include <algorithm>
#include <deque>
#include <unordered_set>

namespace holdfast::search {
namespace {

constexpr std::size_t kMaxRankedBytes = 4096;  // longer ones are text, not questions
// Enough of the start of a question in prose for kMaxQueryWords words of any length.
constexpr std::size_t kMaxProseBytes = 64 * 1024;

// A whole, then its parts: the whole goes.
std::vector<std::string> without_wholes(std::vector<std::string> words) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string joined;
    for (std::size_t part = i + 1; part < words.size() && joined.size() < words[i].size(); ++part) joined += words[part];
    if (joined != words[i]) kept.push_back(words[i]);
  }
  return kept;
}

// Tells which phrases the words it is given contain, one after the other.
class PhraseSink final : public WordSink {
 public:
  explicit PhraseSink(const std::vector<std::vector<std::string>>& phrases) : phrases_(phrases), found_(phrases.size()) {
    for (const auto& phrase : phrases) longest_ = std::max(longest_, phrase.size());
  }

  void word(std::string_view folded) override {
    last_.emplace_back(folded);
    if (last_.size() > longest_) last_.pop_front();
    for (std::size_t i = 0; i < phrases_.size(); ++i) {
      const auto& phrase = phrases_[i];
      if (found_[i] || phrase.size() > last_.size() || phrase.back() != folded) continue;
      found_[i] = std::equal(phrase.begin(), phrase.end(), last_.end() - static_cast<std::ptrdiff_t>(phrase.size()));
    }
  }
  bool found_all() const { return std::ranges::find(found_, false) == found_.end(); }

 private:
  const std::vector<std::vector<std::string>>& phrases_;
  std::vector<bool> found_;
  std::deque<std::string> last_;
  std::size_t longest_ = 0;
};

class WordCounter final : public WordSink {
 public:
  explicit WordCounter(const std::vector<std::string>& words) : words_(words) { made.counts.resize(words.size()); }

  void word(std::string_view folded) override {
    ++made.length;
    const auto found = std::ranges::find(words_, folded);
    if (found != words_.end()) ++made.counts[static_cast<std::size_t>(found - words_.begin())];
  }

  WordCounts made;

 private:
  const std::vector<std::string>& words_;
};

}  // namespace

RankedQuery parse_ranked_query(std::string_view text) {
  RankedQuery query;
  const auto clauses = parse_text_query(text.substr(0, kMaxRankedBytes), {.words_alone = true});
  if (!clauses) return query;
  for (const TextClause& clause : *clauses) {
    std::vector<std::string> words = without_wholes(words_of(clause.text));
    const bool follow = clause.kind == TextClause::Kind::phrase && words.size() > 1;
    if (follow && query.phrases.size() < kMaxQueryWords) query.phrases.push_back(words);
    for (std::string& word : words)
      if (query.words.size() < kMaxQueryWords && std::ranges::find(query.words, word) == query.words.end())
        query.words.push_back(std::move(word));
  }
  return query;
}

std::vector<std::string> query_words(std::string_view question) {
  std::vector<std::string> telling, all;
  std::unordered_set<std::string> seen;
  for (std::string& word : words_of(question.substr(0, kMaxProseBytes))) {
    if (!seen.insert(word).second) continue;
    if (!is_stop_word(word) && telling.size() < kMaxQueryWords) telling.push_back(word);
    if (all.size() < kMaxQueryWords) all.push_back(std::move(word));
  }
  return telling.empty() ? all : telling;
}

bool has_phrases(std::string_view text, const std::vector<std::vector<std::string>>& phrases) {
  if (phrases.empty()) return true;
  PhraseSink sink(phrases);
  scan_words(text, sink);
  return sink.found_all();
}

WordCounts count_words(std::string_view text, const std::vector<std::string>& words) {
  WordCounter counter(words);
  scan_words(text, counter);
  return std::move(counter.made);
}

}  // namespace holdfast::search
