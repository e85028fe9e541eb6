#include "kinds/research/text/answer_kind.h"

#include "base/text/text.h"
#include "kinds/research/engine/claims.h"
#include "search/words/stems.h"
#include "search/words/words.h"

#include <algorithm>
#include <set>

namespace holdfast::research {

namespace {

constexpr double kHasNumber = 1.4;
constexpr double kHasUnit = 1.3;    // and of the kind that was asked for
constexpr double kHasName = 1.5;    // an option, a variable, a path
constexpr double kHasOption = 1.2;  // "how do I" is answered by prose as well
constexpr double kDenies = 1.25;
constexpr double kDefines = 1.35;
constexpr std::size_t kBeginning = 4;  // words: "The hold space is"

constexpr std::string_view kTimes = "second minute hour day week month year ms s millisecond once twice immediate instant";
constexpr std::string_view kAmounts = "byte kb mb gb tb kib mib gib tib k percent megabyte kilobyte gigabyte character bit";
constexpr std::string_view kCounted = "once twice every daily";

using Stems = std::set<std::string, std::less<>>;

Stems stems_of(std::string_view words) {
  Stems stems;
  for (const std::string& word : search::words_of(words)) stems.insert(search::stem_of(word));
  return stems;
}

bool has_any(const std::vector<std::string>& stems, const Stems& wanted) {
  return std::ranges::any_of(stems, [&](const std::string& stem) { return wanted.contains(stem); });
}

bool is_name_character(char c) {
  return is_ascii_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// Runs a test over the words of a text as they are written, without the marks around them.
template <class Test>
bool any_written(std::string_view text, Test test) {
  while (!text.empty()) {
    const std::size_t blank = std::min(text.find_first_of(" |"), text.size());
    std::string_view word = text.substr(0, blank);
    while (!word.empty() && std::string_view("\"'`([{<*").find(word.front()) != std::string_view::npos) word.remove_prefix(1);
    if (word.starts_with("‘") || word.starts_with("“")) word.remove_prefix(std::string_view("‘").size());
    if (!word.empty() && test(word)) return true;
    text.remove_prefix(std::min(blank + 1, text.size()));
  }
  return false;
}

bool is_option(std::string_view word) {
  if (word.size() < 2 || word[0] != '-') return false;
  const std::size_t name = word.find_first_not_of('-');
  return name <= 2 && name != word.npos && is_name_character(word[name]);
}

bool is_variable(std::string_view word) {
  if (word.starts_with('$')) word.remove_prefix(1);
  const std::size_t end = std::min(word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"), word.size());
  constexpr std::size_t kLeast = 3;
  return end >= kLeast && word.substr(0, end).find('_') != word.npos;
}

bool is_path(std::string_view word) {
  const std::size_t slash = word.find('/');
  return slash != word.npos && word.size() > 2 && (slash == 0 || word[0] == '~' || word[0] == '.' || word[0] == '$');
}

}  // namespace

AnswerKind answer_kind_of(std::string_view question) {
  AnswerKind kind;
  const std::vector<std::string> words = search::words_of(question);
  const auto has = [&](std::initializer_list<std::string_view> wanted) {
    return std::ranges::any_of(words, [&](const std::string& word) { return std::ranges::find(wanted, word) != wanted.end(); });
  };
  const auto follows = [&](std::string_view first, std::initializer_list<std::string_view> second) {
    for (std::size_t i = 1; i < words.size(); ++i)
      if (words[i - 1] == first && std::ranges::find(second, words[i]) != second.end()) return true;
    return false;
  };
  kind.time =
      follows("how", {"long", "often", "soon", "fast", "old"}) || has({"when", "expire", "expires", "timeout", "interval"});
  kind.amount = follows("how", {"big", "large", "much", "long"}) || has({"size", "memory", "large", "percent"});
  kind.number = follows("how", {"many", "far", "big", "large", "long", "much", "often", "old", "fast"}) ||
                has({"limit", "maximum", "minimum", "number", "percent", "port", "size", "version", "code", "status", "level"});
  kind.option =
      has({"option", "options", "flag", "flags", "switch", "command", "argument"}) || follows("how", {"do", "can", "to"});
  kind.variable = has({"variable", "variables"});
  kind.place = has({"where", "file", "path", "folder", "directory"});
  kind.denial = claim_of(question).denies;
  kind.definition = words.size() > 1 && words[0] == "what" && has({"is", "are", "does", "mean", "means", "do"});
  return kind;
}

double looks_like(const AnswerKind& kind, std::string_view text, const std::vector<std::string>& stems,
                  const std::vector<std::string>& subject) {
  double factor = 1;
  static const Stems times = stems_of(kTimes), amounts = stems_of(kAmounts), counted = stems_of(kCounted);
  if ((kind.number || kind.time || kind.amount) && (has_any(stems, counted) || !claim_of(text).numbers.empty())) {
    if (kind.number) factor *= kHasNumber;
    if ((kind.time && has_any(stems, times)) || (kind.amount && (has_any(stems, amounts) || text.find('%') != text.npos)))
      factor *= kHasUnit;
  }
  if (kind.variable && any_written(text, is_variable)) factor *= kHasName;
  if (kind.place && any_written(text, is_path)) factor *= kHasOption;
  if (kind.option && any_written(text, is_option)) factor *= kHasOption;
  if (kind.denial && claim_of(text).denies) factor *= kDenies;
  if (kind.definition) {
    const auto beginning =
        std::vector<std::string>(stems.begin(), stems.begin() + static_cast<std::ptrdiff_t>(std::min(stems.size(), kBeginning)));
    const auto begins_with = [&](const std::string& stem) { return std::ranges::find(beginning, stem) != beginning.end(); };
    if (!subject.empty() && std::ranges::all_of(subject, begins_with)) factor *= kDefines;
  }
  return factor;
}

std::vector<std::string> literals_of(std::string_view question) {
  constexpr std::string_view kAround = "\"'`()[]{}<>,;:?!.*“”‘’";
  std::vector<std::string> literals;
  while (!question.empty()) {
    const std::size_t blank = std::min(question.find_first_of(" \t\r\n"), question.size());
    std::string_view word = question.substr(0, blank);
    question.remove_prefix(std::min(blank + 1, question.size()));
    // A full stop in front belongs to a name: ".zst".
    const std::size_t begin = word.find_first_not_of("\"'`()[]{}<>,;:?!*“”‘’");
    if (begin == word.npos) continue;
    word.remove_prefix(begin);
    word = word.substr(0, word.find_last_not_of(kAround) + 1);
    const bool is_word =
        std::ranges::all_of(word, [](char c) { return (is_name_character(c) && c != '-' && c != '_') || c == '\''; });
    const bool is_number = std::ranges::all_of(word, is_ascii_digit);
    if (word.empty() || (is_word && !is_number)) continue;
    if (word.find_first_not_of("-") == word.npos) continue;  // a dash
    if (std::ranges::find(literals, word) == literals.end()) literals.emplace_back(word);
  }
  return literals;
}

bool has_literal(std::string_view text, std::string_view literal) {
  for (std::size_t at = text.find(literal); at != text.npos; at = text.find(literal, at + 1)) {
    const std::size_t end = at + literal.size();
    const bool begins = at == 0 || !is_name_character(literal.front()) || !is_name_character(text[at - 1]) ||
                        static_cast<unsigned char>(text[at - 1]) >= 0x80;
    const bool ends = end == text.size() || !is_name_character(literal.back()) || !is_name_character(text[end]) ||
                      static_cast<unsigned char>(text[end]) >= 0x80;
    if (begins && ends) return true;
  }
  return false;
}

}  // namespace holdfast::research
