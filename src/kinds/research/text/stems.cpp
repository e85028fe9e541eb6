#include "kinds/research/text/stems.h"

#include "base/text/words.h"

#include <algorithm>
#include <array>

namespace holdfast::research {

namespace {

constexpr std::size_t kLeastStem = 3;  // what is left after an ending is taken off

bool take_off(std::string& word, std::string_view ending, std::string_view instead = {}) {
  if (!word.ends_with(ending) || word.size() - ending.size() < kLeastStem - instead.size()) return false;
  word.resize(word.size() - ending.size());
  word += instead;
  return true;
}

bool is_vowel(char c) {
  return std::string_view("aeiouy").find(c) != std::string_view::npos;
}

void undouble(std::string& word) {
  const std::size_t size = word.size();
  if (size > kLeastStem && word[size - 1] == word[size - 2] && !is_vowel(word.back()) && word.back() != 's' && word.back() != 'l')
    word.pop_back();
}

struct Family {
  std::vector<std::string_view> asked;     // any of these in a question
  std::vector<std::string_view> answered;  // and its answer has one of these
  std::vector<std::string_view> search;    // which providers should look for
};
const std::array<Family, 3>& families() {
  static const std::array<Family, 3> all = {{
      {{"decide", "decided", "decision", "decisions", "agree", "agreed", "choose", "chose", "chosen", "settled"},
       {"decide", "decision", "agreed", "agreement", "choose", "chose", "chosen", "settled", "resolved", "concluded", "adopted"},
       {"decided", "decision", "agreed", "chose"}},
      {{"why", "reason", "reasons", "rationale"},
       {"because", "reason", "rationale", "therefore", "since", "cause", "avoid"},
       {"because", "reason"}},
      {{"when", "date", "deadline"},
       {"january",   "february", "march",    "april",    "june",   "july",    "august",
        "september", "october",  "november", "december", "monday", "tuesday", "wednesday",
        "thursday",  "friday",   "since",    "until",    "week",   "month",   "year"},
       {}},
  }};
  return all;
}

constexpr auto kPlainWords = std::to_array<std::string_view>(
    {"long", "often", "big", "allow", "ask", "become", "best", "change", "come", "compare", "describe", "differ", "discuss",
     "enable", "exist", "explain", "find", "get", "give", "go", "handle", "happen", "happens", "help", "keep", "know", "let",
     "look", "make", "makes", "mean", "means", "much", "many", "need", "needs", "please", "possible", "research", "say", "says",
     "see", "set", "show", "summarise", "summarize", "take", "tell", "think", "thing", "things", "try", "use", "used", "uses",
     "using", "want", "way", "ways", "work", "works",
     // They are rare in documents, so they would be taken for the topic.
     "actually", "always", "another", "anybody", "anyone", "anything", "around", "cannot", "else", "ever", "everybody",
     "everyone", "everything", "instead", "least", "maybe", "never", "nobody", "none", "nothing", "perhaps", "put", "quite",
     "rather", "really", "since", "somebody", "someone", "something", "still", "turn", "turned", "turns", "usually", "whether",
     "within", "without", "yet"});

}  // namespace

std::string stem_of(std::string_view text) {
  std::string word(text);
  const bool ascii = std::ranges::all_of(word, [](char c) { return c >= 'a' && c <= 'z'; });
  if (!ascii || word.size() <= kLeastStem) return word;
  if (take_off(word, "ies", "y") || take_off(word, "ied", "y")) return word;
  if (word.ends_with("ss")) return word;
  if (take_off(word, "sses", "ss") || take_off(word, "ches", "ch") || take_off(word, "shes", "sh") || take_off(word, "xes", "x"))
    return word;
  if (!word.ends_with("us") && !word.ends_with("is")) take_off(word, "s");
  if (take_off(word, "ation") || take_off(word, "ing") || take_off(word, "ed")) undouble(word);
  if (word.size() > kLeastStem && word.ends_with('e')) word.pop_back();
  return word;
}

std::vector<std::string> content_stems(std::string_view text) {
  std::vector<std::string> stems;
  for (const std::string& word : words_of(text)) {
    if (is_stop_word(word)) continue;
    std::string stem = stem_of(word);
    if (std::ranges::find(stems, stem) == stems.end()) stems.push_back(std::move(stem));
  }
  return stems;
}

Intent intent_of(std::string_view question) {
  Intent intent;
  const std::vector<std::string> words = words_of(question);
  for (const Family& family : families()) {
    const auto asks = [&](const std::string& word) { return std::ranges::find(family.asked, word) != family.asked.end(); };
    if (std::ranges::none_of(words, asks)) continue;
    for (const std::string_view word : family.asked) intent.asked.insert(stem_of(word));
    for (const std::string_view word : family.answered) intent.answered.insert(stem_of(word));
    for (const std::string_view word : family.search) intent.search.emplace_back(word);
  }
  return intent;
}

bool is_plain_word(std::string_view word) {
  static const std::set<std::string> stems = [] {
    std::set<std::string> made;
    for (const std::string_view plain : kPlainWords) made.insert(stem_of(plain));
    return made;
  }();
  return stems.contains(stem_of(word));
}

std::vector<std::string> forms_of(std::string_view word) {
  std::vector<std::string> forms{std::string(word)};
  const bool ascii = std::ranges::all_of(word, [](char c) { return c >= 'a' && c <= 'z'; });
  if (!ascii || word.size() <= kLeastStem) return forms;
  std::string other(word);
  if (take_off(other, "ies", "y") || take_off(other, "ches", "ch") || take_off(other, "shes", "sh") ||
      take_off(other, "sses", "ss") || take_off(other, "xes", "x")) {
    forms.push_back(other);
  } else if (word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us") && !word.ends_with("is")) {
    other.pop_back();
    forms.push_back(other);
  } else if (word.ends_with('y') && !is_vowel(word[word.size() - 2])) {
    other.pop_back();
    forms.push_back(other + "ies");
  } else if (!word.ends_with('s')) {
    forms.push_back(other + "s");
  }
  return forms;
}

}  // namespace holdfast::research
