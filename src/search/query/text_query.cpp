#include "search/query/text_query.h"

#include "base/text/text.h"
#include "search/words/characters.h"

namespace holdfast::search {
namespace {

using Kind = TextClause::Kind;

constexpr std::string_view kSentenceEnds = ".,;:!?";

bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

// Letters alone, or digits alone: a word. Anything else is found as it stands: code, and what is written without blanks.
bool is_word(std::string_view token, bool codes_are_words) {
  bool letters = false, digits = false;
  for (std::size_t at = 0, length = 0; at < token.size(); at += length) {
    if (kind_at(token, at, length) != CharacterKind::letter) return false;
    (is_digit_at(token, at) ? digits : letters) = true;
  }
  return codes_are_words ? letters || digits : letters != digits;
}

TextClause clause_of(std::string_view token, bool still_typed, const QueryRules& rules) {
  TextClause clause;
  const bool has_parts = token.size() > 1 && !rules.words_alone;
  const bool open_begin = has_parts && token.starts_with('*');
  const bool open_end = has_parts && token.ends_with('*');
  std::string_view inside = token;
  if (open_begin) inside.remove_prefix(1);
  if (open_end && !inside.empty()) inside.remove_suffix(1);
  if (inside.empty()) {  // "**" and the like: as it stands
    clause.kind = Kind::literal;
    clause.text = token;
    return clause;
  }
  std::string_view word = inside;
  while (!open_end && word.size() > 1 && kSentenceEnds.find(word.back()) != std::string_view::npos) word.remove_suffix(1);
  if (open_begin || !is_word(word, rules.codes_are_words)) {
    clause.kind = Kind::literal;
    clause.text = inside;
  } else {
    clause.kind = open_end || (still_typed && word.size() == inside.size()) ? Kind::prefix : Kind::word;
    clause.text = word;
  }
  return clause;
}

}  // namespace

Result<std::vector<TextClause>> parse_text_query(std::string_view text, const QueryRules& rules) {
  std::vector<TextClause> clauses;
  std::size_t at = 0;
  while (at < text.size()) {
    if (is_blank(text[at])) {
      ++at;
      continue;
    }
    // --flag is code; a minus sign alone is not a wish.
    const bool excluded =
        !rules.words_alone && text[at] == '-' && at + 1 < text.size() && text[at + 1] != '-' && !is_blank(text[at + 1]);
    if (excluded) ++at;
    TextClause clause;
    if (text[at] == '"') {
      const std::size_t close = text.find('"', at + 1);
      const bool closed = close != std::string_view::npos;
      const std::string_view phrase = trim(text.substr(at + 1, closed ? close - at - 1 : std::string_view::npos));
      at = closed ? close + 1 : text.size();
      if (phrase.empty()) continue;
      clause.kind = rules.as_typed && !closed ? Kind::literal : Kind::phrase;
      clause.text = phrase;
    } else {
      std::size_t end = at;
      while (end < text.size() && !is_blank(text[end])) ++end;
      clause = clause_of(text.substr(at, end - at), rules.as_typed && end == text.size(), rules);
      at = end;
    }
    clause.excluded = excluded;
    clauses.push_back(std::move(clause));
  }
  if (clauses.empty())
    return fail(ErrorKind::invalid, "there is nothing to look for", "name a word, a phrase in quotes, or a piece of code");
  return clauses;
}

}  // namespace holdfast::search
