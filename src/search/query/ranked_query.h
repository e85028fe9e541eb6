#pragma once

// A question to a ranked search (search/folder): the words that texts are ranked by, and the phrases they must have.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::search {

inline constexpr std::size_t kMaxQueryWords = 64;  // an essay as a question is cut, its start says what it is about

struct RankedQuery {
  std::vector<std::string> words;                 // folded, each once
  std::vector<std::vector<std::string>> phrases;  // words that have to follow one another
};

// Of the language of questions (text_query.h) its words and "phrases". The whole of an identifier is not asked for when its parts
// are: retry_policy finds "retry policy" too.
RankedQuery parse_ranked_query(std::string_view text);
// The words of a question in prose: without stop words (unless it has no others), each once.
std::vector<std::string> query_words(std::string_view question);

// Whether a text has all the phrases.
bool has_phrases(std::string_view text, const std::vector<std::vector<std::string>>& phrases);

// How often each of the words occurs in the text, and how many words that has.
struct WordCounts {
  std::vector<std::uint32_t> counts;  // as the words asked for
  std::uint32_t length = 0;
};
WordCounts count_words(std::string_view text, const std::vector<std::string>& words);

}  // namespace holdfast::search
