#include "kinds/research/text/snippet.h"

#include "base/text/text.h"
#include "search/words/words.h"

#include <algorithm>

namespace holdfast::research {
namespace {

// Of the text from the best line on: more than is shown, in any script.
constexpr std::size_t kSnippetBytes = 8 * kSnippetCharacters;

class Counter final : public search::WordSink {
 public:
  explicit Counter(const std::vector<std::string>& words) : words_(words) { made.counts.resize(words.size()); }

  void word(std::string_view folded) override {
    ++made.length;
    const auto found = std::ranges::find(words_, folded);
    if (found != words_.end()) ++made.counts[static_cast<std::size_t>(found - words_.begin())];
  }

  WordCounts made;

 private:
  const std::vector<std::string>& words_;
};

std::string on_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool blank = c == ' ' || (c >= '\t' && c <= '\r');
    if (!blank)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  return line;
}

}  // namespace

WordCounts count_words(std::string_view text, const std::vector<std::string>& words) {
  Counter counter(words);
  search::scan_words(text, counter);
  return std::move(counter.made);
}

std::string snippet_of(std::string_view text, const std::vector<std::string>& words) {
  std::size_t best = 0;
  std::ptrdiff_t most = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t newline = std::min(text.find('\n', at), text.size());
    const WordCounts counted = count_words(text.substr(at, newline - at), words);
    const std::ptrdiff_t held = std::ranges::count_if(counted.counts, [](std::uint32_t count) { return count != 0; });
    if (held > most) {
      most = held;
      best = at;
    }
    at = newline + 1;
  }
  return shorten(trim(on_one_line(to_valid_utf8(utf8_prefix(text.substr(best), kSnippetBytes)))), kSnippetCharacters);
}

}  // namespace holdfast::research
