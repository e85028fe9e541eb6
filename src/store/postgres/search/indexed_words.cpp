#include "store/postgres/search/indexed_words.h"

#include "base/text/text.h"
#include "search/words/words.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace holdfast::store::postgres {

namespace {

// A tsvector holds 1 MiB of words and a word 2 KiB; with room to spare.
constexpr std::size_t kMaxIndexedBytes = 512 * 1024;
constexpr std::size_t kMaxLexemeBytes = 2000;

template <class OnWord>
void each_word(std::string_view words, OnWord&& on_word) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (end > 0) on_word(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
}

bool fits(std::string_view word) {
  return word.size() <= kMaxLexemeBytes && is_valid_utf8(word) && !word.contains('\0');
}

std::string quoted_word(std::string_view word) {
  std::string out = "'";
  for (const char c : word) out.append(c == '\'' || c == '\\' ? 2 : 1, c);
  return out + '\'';
}

}  // namespace

Param indexed_words(std::string_view text) {
  const std::string words = search::spaced_words(text);
  std::vector<std::string_view> found;
  bool all_fit = true;
  each_word(words, [&](std::string_view word) {
    all_fit = all_fit && fits(word);
    found.push_back(word);
  });
  std::ranges::sort(found);
  found.erase(std::ranges::unique(found).begin(), found.end());
  std::size_t bytes = 0;
  for (const std::string_view word : found) bytes += word.size();
  if (!all_fit || bytes > kMaxIndexedBytes) return Param::texts({std::string(kAlways)});
  return Param::texts({found.begin(), found.end()});
}

Param no_words() {
  return Param::texts({});
}

WordConditions word_conditions(const std::vector<search::WordTerm>& terms) {
  std::vector<std::string> whole, beginnings;
  for (const search::WordTerm& term : terms) {
    std::vector<std::string_view> words;
    each_word(term.words, [&](std::string_view word) { words.push_back(word); });
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (!fits(words[i])) continue;
      const bool beginning = term.prefix && i + 1 == words.size();
      (beginning ? beginnings : whole).push_back(quoted_word(words[i]) + (beginning ? ":*" : ""));
    }
  }
  const auto joined = [](const std::vector<std::string>& words) {
    return fmt::format("({}) | {}", fmt::join(words, " & "), quoted_word(kAlways));
  };
  WordConditions conditions;
  if (!whole.empty() && !beginnings.empty()) conditions.whole_words = joined(whole);
  std::ranges::move(beginnings, std::back_inserter(whole));
  if (!whole.empty()) conditions.all = joined(whole);
  return conditions;
}

}  // namespace holdfast::store::postgres
