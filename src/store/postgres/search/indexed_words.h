#pragma once

// The words of a text as PostgreSQL's index has them: those of search/words/words.h, each once, as a tsvector that we make and
// not its parser. The index answers which texts may match; whoever asks compares them with the question itself
// (search/index/text_search.h), so that both stores find exactly the same.

#include "search/index/text_search.h"
#include "store/postgres/connection.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::store::postgres {

// For array_to_tsvector(?). A text that cannot be indexed (it has more words than a tsvector holds, or one that is no UTF-8) gets
// kAlways as its only word: every search looks at it.
Param indexed_words(std::string_view text);
Param no_words();

inline constexpr std::string_view kAlways = "\x01";  // no word has it

// Tsqueries for texts that may match. Of a word that is asked for by its beginning the index gathers every text of every word
// that begins like that before it looks at the other words.
struct WordConditions {
  std::optional<std::string> all;          // nullopt: any text may match
  std::optional<std::string> whole_words;  // without those beginnings, when that says less than `all` and more than nothing
};
WordConditions word_conditions(const std::vector<search::WordTerm>& terms);

}  // namespace holdfast::store::postgres
