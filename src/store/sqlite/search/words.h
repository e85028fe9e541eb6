#pragma once

// How text is cut into words for searching: one routine for what is indexed, what is scanned and what
// is asked for, so that all three agree exactly.
//
// Words are runs of letters and digits, case-folded (NFKC); everything else separates. Characters of scripts
// that are written without blanks (Chinese, Japanese, Thai, ...) are words of their own, so that any part
// of such a text is found as a phrase. Words are cut after kMaxWordBytes: nobody searches inside a base64
// block. Broken UTF-8 separates.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::store {

inline constexpr std::size_t kMaxWordBytes = 64;

// " word word word ": each word with one blank before it, and one at the end; "" without any word.
std::string words_of(std::string_view text);

struct WordPlace {
  std::size_t in_words = 0;  // of the word's first byte in words_of(text)
  std::size_t in_text = 0;
};
std::string words_of(std::string_view text, std::vector<WordPlace>& places);

// A search: terms of one or more neighbouring words, all of which must occur.
class WordQuery {
 public:
  // Blanks separate terms, quotes hold a phrase together. The last term, unless quoted or very short,
  // also matches the beginning of a longer word: people search while they type.
  explicit WordQuery(std::string_view text);

  bool empty() const { return terms_.empty(); }
  bool matches(std::string_view words) const;  // of words_of()
  // Where the first term is, as an offset into words_of(); npos when it does not match.
  std::size_t first_match(std::string_view words) const;
  // The same question for FTS5, every word quoted.
  std::string fts_expression() const;

  struct Term {
    std::string words;  // " one two " or, for a prefix, " one tw"
    bool prefix = false;
  };
  const std::vector<Term>& terms() const { return terms_; }

 private:
  void add(std::string_view text, bool may_be_prefix);
  std::vector<Term> terms_;
};

// All of these terms, for FTS5; "" without any.
std::string fts_expression(const std::vector<WordQuery::Term>& terms);

// About kSnippetChars characters of the text around a match, in one line.
std::string snippet_of(std::string_view text, const WordQuery& query);
inline constexpr std::size_t kSnippetChars = 160;

}  // namespace holdfast::store
