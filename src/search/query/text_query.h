#pragma once

// What people type, as clauses: the one language of questions, whoever asks and wherever it is looked for.

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::search {

// All clauses hold in one text. Case is folded (NFKC case folding outside of ASCII).
struct TextClause {
  enum class Kind {
    word,     // a whole word: a run of letters and digits, bounded by anything else
    prefix,   // a word that begins so
    literal,  // these characters anywhere, also inside of words; a blank stands for any run of white space. CJK text, code
              // (foo_bar, paths, error codes)
    phrase    // a literal whose first and last word are whole ones
  } kind = Kind::word;
  std::string text;
  bool excluded = false;  // must not occur in the text
};

// What of the language has a meaning where it is asked.
struct QueryRules {
  bool as_typed = false;         // the last word is still being typed (prefix)
  bool codes_are_words = false;  // letters with digits (E0277) are a word, not a piece that may stand inside of one
  bool words_alone = false;      // only words and phrases: neither parts of words nor exclusions
};

// Words, word*, *inside*, "a phrase", -without, and code as it stands: what has symbols or digits inside (foo_bar, "src/a.cpp",
// E0277, a::b) and runs of Chinese, Japanese or Korean are literals. The character that ends a sentence is none of its last word.
// Errors: invalid (nothing to look for; an unclosed quote is closed silently).
Result<std::vector<TextClause>> parse_text_query(std::string_view text, const QueryRules& rules = {});

}  // namespace holdfast::search
