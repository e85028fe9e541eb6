#pragma once

// A question to the search (document-review §5 `search`): words that all have to be there, and "phrases".

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

inline constexpr std::size_t kMaxQueryBytes = 4096;  // longer ones are text, not questions
inline constexpr std::size_t kMaxQueryWords = 64;

struct Query {
  std::vector<std::string> words;                 // folded, each once
  std::vector<std::vector<std::string>> phrases;  // words that have to follow one another
};

// The whole of an identifier is not asked for when its parts are: retry_policy finds "retry policy" too.
Query parse_query(std::string_view text);

// Whether a text has all the phrases.
bool has_phrases(std::string_view text, const std::vector<std::vector<std::string>>& phrases);

// A place in a text that shows why it was found: verbatim, from one line or some that follow each other.
struct Snippet {
  std::size_t line = 1;  // 1-based, where it begins
  std::string text;
};
inline constexpr std::size_t kSnippetCharacters = 200;
Snippet snippet_of(std::string_view text, const Query& query);

// Front matter's title, else the first heading, else the file's name without its extension.
struct Title {
  std::string text;
  bool in_text = false;
};
Title title_of(std::string_view text, std::string_view path);

}  // namespace holdfast::documents
