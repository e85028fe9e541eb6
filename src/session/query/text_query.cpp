// parse_text_query: what a person types, as clauses.

#include "base/text/text.h"
#include "session/query/text_index.h"

#include <utf8proc.h>

namespace holdfast::session {
namespace {

using Kind = TextClause::Kind;

constexpr std::string_view kSentenceEnds = ".,;:!?";

bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

struct Characters {
  bool letters = false, digits = false, others = false;
};

// What a token is made of. Scripts without blanks count as others: their runs are no words.
Characters characters_of(std::string_view token) {
  Characters characters;
  while (!token.empty()) {
    utf8proc_int32_t c = 0;
    const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(token.data()),
                                         static_cast<utf8proc_ssize_t>(token.size()), &c);
    const bool without_blanks = (c >= 0x3040 && c <= 0x30FF) || (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x4E00 && c <= 0x9FFF) ||
                                (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x20000 && c <= 0x3FFFF);
    const auto category = length > 0 ? utf8proc_category(c) : UTF8PROC_CATEGORY_CN;
    if (length <= 0 || without_blanks)
      characters.others = true;
    else if (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_ME)
      characters.letters = true;
    else if (category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO)
      characters.digits = true;
    else
      characters.others = true;
    token.remove_prefix(length > 0 ? static_cast<std::size_t>(length) : 1);
  }
  return characters;
}

bool is_word(std::string_view token) {
  const Characters characters = characters_of(token);
  return !token.empty() && !characters.others && !(characters.letters && characters.digits);
}

TextClause clause_of(std::string_view token, bool still_typed) {
  TextClause clause;
  const bool open_begin = token.size() > 1 && token.starts_with('*');
  const bool open_end = token.size() > 1 && token.ends_with('*');
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
  if (open_begin || !is_word(word)) {
    clause.kind = Kind::literal;
    clause.text = inside;
  } else {
    clause.kind = open_end || (still_typed && word.size() == inside.size()) ? Kind::prefix : Kind::word;
    clause.text = word;
  }
  return clause;
}

}  // namespace

Result<std::vector<TextClause>> parse_text_query(std::string_view text, bool as_typed) {
  std::vector<TextClause> clauses;
  std::size_t at = 0;
  while (at < text.size()) {
    if (is_blank(text[at])) {
      ++at;
      continue;
    }
    // --flag is code; a minus sign alone is not a wish.
    const bool excluded = text[at] == '-' && at + 1 < text.size() && text[at + 1] != '-' && !is_blank(text[at + 1]);
    if (excluded) ++at;
    TextClause clause;
    if (text[at] == '"') {
      const std::size_t close = text.find('"', at + 1);
      const bool closed = close != std::string_view::npos;
      const std::string_view phrase = trim(text.substr(at + 1, closed ? close - at - 1 : std::string_view::npos));
      at = closed ? close + 1 : text.size();
      if (phrase.empty()) continue;
      clause.kind = as_typed && !closed ? Kind::literal : Kind::phrase;
      clause.text = phrase;
    } else {
      std::size_t end = at;
      while (end < text.size() && !is_blank(text[end])) ++end;
      clause = clause_of(text.substr(at, end - at), as_typed && end == text.size());
      at = end;
    }
    clause.excluded = excluded;
    clauses.push_back(std::move(clause));
  }
  if (clauses.empty())
    return fail(ErrorKind::invalid, "there is nothing to look for", "name a word, a phrase in quotes, or a piece of code");
  return clauses;
}

}  // namespace holdfast::session
