#include "kinds/research/text/question_words.h"

#include "search/words/stems.h"
#include "search/words/words.h"

#include <algorithm>
#include <array>
#include <map>

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

// In a question for a decision: "did", "we", or the deed itself.
bool tells_of_us(std::string_view word) {
  constexpr auto kUs = std::to_array<std::string_view>({"did", "has", "have", "was", "were", "we", "us", "our", "decided",
                                                        "decision", "decisions", "agreed", "chose", "chosen", "settled"});
  return std::ranges::find(kUs, word) != kUs.end();
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

// Of those up to a semicolon, one may stand for the other.
constexpr std::string_view kSynonyms =
    "delete remove erase; keep preserve retain; show display print list see; stop end abort terminate quit; "
    "folder directory; limit maximum max highest restrict cap most; minimum min lowest least; allow permit accept; "
    "change modify alter edit; large big size; create make build; expire valid lifetime ttl; version release newer; "
    "need require; begin start; password passphrase; fast speed quick; error fail failure; "
    "suppress hide quiet silent; separate delimit; undo revert restore; several multiple many; copy transfer; "
    "larger bigger exceed; deny refuse reject forbid; put store save; choose select pick; often frequency interval; "
    "lose loss; sign signature; try attempt; remind notify; happen occur; same identical equal; whole entire; "
    "supported understood";

constexpr std::string_view kPlainWords =
    "long often big allow ask become best change come compare describe differ discuss enable exist explain find get "
    "give go handle happen happens help keep know let look make makes mean means much many need needs please "
    "possible research say says see set show summarise summarize take tell think thing things try use used uses "
    "using want way ways work works "
    // They are rare in documents, so they would be taken for the topic.
    "across actually always another anybody anyone anything around cannot else ever everybody everyone everything "
    "instead last least maybe never nobody none nothing one perhaps put quite rather really since somebody someone "
    "something still through turn turned turns usually via whether within without yet";

}  // namespace

std::vector<std::string> content_stems(std::string_view text) {
  std::vector<std::string> stems;
  for (const std::string& word : search::words_of(text)) {
    if (search::is_stop_word(word)) continue;
    std::string stem = search::stem_of(word);
    if (std::ranges::find(stems, stem) == stems.end()) stems.push_back(std::move(stem));
  }
  return stems;
}

Intent intent_of(std::string_view question) {
  Intent intent;
  const std::vector<std::string> words = search::words_of(question);
  for (const Family& family : families()) {
    const auto asks = [&](const std::string& word) { return std::ranges::find(family.asked, word) != family.asked.end(); };
    if (std::ranges::none_of(words, asks)) continue;
    // How a program decides is no decision of anybody.
    if (&family == &families().front() && std::ranges::none_of(words, [](const std::string& word) { return tells_of_us(word); }))
      continue;
    for (const std::string_view word : family.asked) intent.asked.insert(search::stem_of(word));
    for (const std::string_view word : family.answered) intent.answered.insert(search::stem_of(word));
    for (const std::string_view word : family.search) intent.search.emplace_back(word);
  }
  return intent;
}

std::vector<std::string> further_words(const std::vector<std::string>& words) {
  std::vector<std::string> further;
  const auto add = [&](const std::string& word) {
    if (std::ranges::find(words, word) == words.end() && std::ranges::find(further, word) == further.end())
      further.push_back(word);
  };
  std::string before;  // the last word of another stem
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string stem = search::stem_of(words[i]);
    for (const std::string& word : search::words_with_stem(stem)) add(word);
    for (const std::string& other : synonyms_of(stem))
      for (const std::string& word : search::words_with_stem(other)) add(word);
    if (i > 0 && search::stem_of(words[i - 1]) != stem) before = words[i - 1];
    if (!before.empty()) add(before + words[i]);
  }
  return further;
}

const std::vector<std::string>& synonyms_of(const std::string& stem) {
  static const std::map<std::string, std::vector<std::string>> table = [] {
    std::map<std::string, std::vector<std::string>> made;
    for (std::string_view left = kSynonyms; !left.empty();) {
      const std::string_view row = left.substr(0, left.find(';'));
      left.remove_prefix(std::min(row.size() + 1, left.size()));
      std::vector<std::string> stems;
      for (const std::string& word : search::words_of(row)) stems.push_back(search::stem_of(word));
      for (const std::string& one : stems)
        for (const std::string& other : stems)
          if (other != one) made[one].push_back(other);
    }
    return made;
  }();
  static const std::vector<std::string> none;
  const auto found = table.find(stem);
  return found == table.end() ? none : found->second;
}

bool is_plain_stem(const std::string& stem) {
  static const std::set<std::string> stems = [] {
    std::set<std::string> made;
    for (const std::string& plain : search::words_of(kPlainWords)) made.insert(search::stem_of(plain));
    return made;
  }();
  return stems.contains(stem);
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
