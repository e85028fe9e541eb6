#include "search/words/stems.h"

#include <libstemmer.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace holdfast::search {
namespace {

// Forms that no rule takes back, and the word. Sorted.
constexpr auto kIrregular = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"began", "begin"}, {"begun", "begin"},   {"broke", "break"}, {"broken", "break"},  {"built", "build"},
     {"died", "die"},    {"dies", "die"},      {"dying", "die"},   {"forgot", "forget"}, {"forgotten", "forget"},
     {"found", "find"},  {"gave", "give"},     {"given", "give"},  {"gone", "go"},       {"got", "get"},
     {"grew", "grow"},   {"grown", "grow"},    {"held", "hold"},   {"hidden", "hide"},   {"kept", "keep"},
     {"knew", "know"},   {"known", "know"},    {"left", "leave"},  {"lies", "lie"},      {"lost", "lose"},
     {"lying", "lie"},   {"made", "make"},     {"ran", "run"},     {"sent", "send"},     {"shown", "show"},
     {"spent", "spend"}, {"stood", "stand"},   {"taken", "take"},  {"told", "tell"},     {"took", "take"},
     {"went", "go"},     {"written", "write"}, {"wrote", "write"}});
static_assert(std::ranges::is_sorted(kIrregular));

struct DeleteStemmer {
  void operator()(sb_stemmer* stemmer) const { sb_stemmer_delete(stemmer); }
};

bool is_english(std::string_view word) {
  return std::ranges::all_of(word, [](char c) { return c >= 'a' && c <= 'z'; });
}

bool is_vowel(char c) {
  return std::string_view("aeiouy").find(c) != std::string_view::npos;
}

}  // namespace

std::string stem_of(std::string_view word) {
  if (word.empty() || !is_english(word)) return std::string(word);
  const auto* irregular = std::ranges::lower_bound(kIrregular, word, {}, &std::pair<std::string_view, std::string_view>::first);
  if (irregular != kIrregular.end() && irregular->first == word) word = irregular->second;
  // One may not be used by two threads at once; it holds the last word.
  thread_local const std::unique_ptr<sb_stemmer, DeleteStemmer> stemmer(sb_stemmer_new("english", "UTF_8"));
  if (!stemmer) return std::string(word);  // out of memory
  const sb_symbol* const stem =
      sb_stemmer_stem(stemmer.get(), reinterpret_cast<const sb_symbol*>(word.data()), static_cast<int>(word.size()));
  if (!stem) return std::string(word);
  return {reinterpret_cast<const char*>(stem), static_cast<std::size_t>(sb_stemmer_length(stemmer.get()))};
}

std::vector<std::string> words_with_stem(std::string_view given) {
  constexpr std::size_t kLeastStem = 3;
  const std::string stem(given);
  if (stem.size() < kLeastStem || !is_english(stem)) return {stem};
  std::vector<std::string> made = {stem, stem + "s", stem + "e", stem + "es", stem + "ed", stem + "ing"};
  const bool consonant_vowel = !is_vowel(stem.back()) && is_vowel(stem[stem.size() - 2]);
  if (consonant_vowel)
    for (const std::string_view ending : {"ed", "ing"}) made.push_back(stem + stem.back() + std::string(ending));
  if (stem.ends_with('i')) {
    const std::string front = stem.substr(0, stem.size() - 1);
    made.push_back(front + 'y');
    made.push_back(front + "ying");
  }
  return made;
}

}  // namespace holdfast::search
