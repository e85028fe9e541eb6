#include "search/index/text_search.h"

#include "base/text/text.h"
#include "search/words/words.h"

namespace holdfast::search {
namespace {

// The lists of words that begin with one or two letters are half of the index; the texts are compared sooner.
constexpr std::size_t kShortestBeginning = 3;

TextQuery query_of(std::string_view text, bool as_typed, bool codes_are_words) {
  TextQuery query;
  if (auto clauses = parse_text_query(text, {as_typed, codes_are_words})) query.clauses = *std::move(clauses);
  return query;
}

// The words of a clause, but for those of which it has perhaps a part only.
void add_term(const ClausePlan& clause, std::vector<WordTerm>& terms) {
  const std::string_view bytes = clause.bytes;
  WordTerm term;
  each_word(bytes, [&](std::size_t begin, std::size_t end, CharacterKind kind) {
    const bool begins = begin > 0 || clause.whole_begin || kind != CharacterKind::letter;
    const bool ends = end < bytes.size() || clause.whole_end || kind != CharacterKind::letter;
    const std::string_view kept = utf8_prefix(bytes.substr(begin, end - begin), kMaxWordBytes);
    const bool whole = ends || kept.size() < end - begin;
    if (!begins || (!whole && kept.size() < kShortestBeginning)) return;
    term.words += ' ';
    term.words += kept;
    term.prefix = !whole;
  });
  if (term.words.empty()) return;
  if (!term.prefix) term.words += ' ';
  terms.push_back(std::move(term));
}

}  // namespace

TextSearch::TextSearch(std::string_view text, bool as_typed, bool codes_are_words)
    : query_(query_of(text, as_typed, codes_are_words)), plan_(plan_query(query_, KeyHash({}))), matcher_(query_, plan_) {
  for (const ClausePlan& clause : plan_.clauses)
    if (!clause.excluded) add_term(clause, terms_);
}

std::optional<PassageMatch> TextSearch::match(PassageRole role, std::string_view text) {
  Passage passage;
  passage.role = role;
  passage.text = text;
  return matcher_.match(passage);
}

Snippet TextSearch::snippet(std::string_view text, PassageMatch& match) const {
  Passage passage;
  passage.text = text;
  PassageMatcher::add_excerpt(passage, match);
  return make_snippet(match, plan_);
}

}  // namespace holdfast::search
