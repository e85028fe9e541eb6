#pragma once

// A question asked of texts that somebody else keeps: the rows of a store.
//
// The index says by `query()` where they may stand (places.h); a database that indexes whole words (words.h, spaced_words) names
// texts that may match by `terms()`. match() says which do, how well and where, exactly as the search of passages does, so that
// the hits of all can stand in one order. One thread.

#include "search/index/passage_match.h"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::search {

// Neighbouring words that every text has that matches: " one two ", or " one tw" when the last is the beginning of a word.
struct WordTerm {
  std::string words;
  bool prefix = false;
};

class TextSearch {
 public:
  // As parse_text_query understands it; what it does not, asks for nothing.
  TextSearch(std::string_view text, bool as_typed, bool codes_are_words);
  TextSearch(const TextSearch&) = delete;
  TextSearch& operator=(const TextSearch&) = delete;

  bool empty() const { return plan_.clauses.empty(); }
  const TextQuery& query() const { return query_; }
  // Of what the question must find. None: only the texts themselves tell (parts of words, exclusions alone).
  const std::vector<WordTerm>& terms() const { return terms_; }

  bool matches(std::string_view text) { return match(PassageRole::user, text).has_value(); }
  std::optional<PassageMatch> match(PassageRole role, std::string_view text);
  // Of a text that matches.
  Snippet snippet(std::string_view text, PassageMatch& match) const;

 private:
  TextQuery query_;
  QueryPlan plan_;
  PassageMatcher matcher_;
  std::vector<WordTerm> terms_;
};

}  // namespace holdfast::search
