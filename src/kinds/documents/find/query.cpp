#include "kinds/documents/find/query.h"

#include "search/words/words.h"

#include <algorithm>
#include <deque>

namespace holdfast::documents {

namespace {

void add_once(std::vector<std::string>& words, std::string word) {
  if (words.size() < kMaxQueryWords && std::ranges::find(words, word) == words.end()) words.push_back(std::move(word));
}

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
class PhraseSink final : public search::WordSink {
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

}  // namespace

Query parse_query(std::string_view text) {
  text = text.substr(0, kMaxQueryBytes);
  Query query;
  const auto add = [&](std::string_view part, bool phrase) {
    std::vector<std::string> words = without_wholes(search::words_of(part));
    if (phrase && words.size() > 1 && query.phrases.size() < kMaxQueryWords) query.phrases.push_back(words);
    for (std::string& word : words) add_once(query.words, std::move(word));
  };
  for (bool quoted = false;; quoted = !quoted) {
    const std::size_t quote = std::min(text.find('"'), text.size());
    add(text.substr(0, quote), quoted);
    if (quote == text.size()) return query;
    text.remove_prefix(quote + 1);
  }
}

bool has_phrases(std::string_view text, const std::vector<std::vector<std::string>>& phrases) {
  if (phrases.empty()) return true;
  PhraseSink sink(phrases);
  search::scan_words(text, sink);
  return sink.found_all();
}

}  // namespace holdfast::documents
