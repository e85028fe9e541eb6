// A text that matches has the words that an index of words is asked for: or the index would hide it.

#include "search/index/text_search.h"

#include "base/text/text.h"
#include "search/words/words.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

namespace holdfast::search {
namespace {

bool finds(std::string_view query, std::string_view text) {
  return TextSearch(query, true, false).matches(text);
}
std::string terms(std::string_view query, bool as_typed = true) {
  std::string shown;
  for (const WordTerm& term : TextSearch(query, as_typed, false).terms()) shown += "[" + term.words + (term.prefix ? "*]" : "]");
  return shown;
}

TEST(TextSearch, NeedsEveryClause) {
  EXPECT_TRUE(finds("cors fix", "the fix for CORS"));
  EXPECT_FALSE(finds("cors fix", "the CORS thing"));
  EXPECT_FALSE(finds("cors -fix", "the fix for CORS"));
  EXPECT_TRUE(TextSearch("", true, false).empty());
  EXPECT_TRUE(TextSearch(" \t", false, false).empty());
}

TEST(TextSearch, OnlyTheLastWordMayBeABeginning) {
  EXPECT_TRUE(finds("connection pool", "connection pooling"));
  EXPECT_FALSE(finds("connect pool", "connection pool"));
  EXPECT_FALSE(TextSearch("connection pool", false, false).matches("connection pooling"));
}

TEST(TextSearch, AsksAnIndexOfWordsForWhatIsSureToBeThere) {
  EXPECT_EQ(terms("cors fix"), "[ cors ][ fix*]");
  EXPECT_EQ(terms("cors fix", false), "[ cors ][ fix ]");
  EXPECT_EQ(terms("\"retry, Budget\" -hay"), "[ retry budget ]");
  EXPECT_EQ(terms("src/foo-bar.cpp"), "[ foo bar cpp*]");  // the first may be the end of a word
  EXPECT_EQ(terms("E0277"), "");
  EXPECT_EQ(TextSearch("E0277 x", false, true).terms().at(0).words, " e0277 ");
  EXPECT_EQ(terms("ab"), "");
  EXPECT_EQ(terms("東京"), "[ 東 京 ]");
  EXPECT_EQ(terms("-hay"), "");
}

TEST(TextSearch, ShowsTheBestPlace) {
  TextSearch search("needle", true, false);
  const std::string text = std::string(500, 'a') + "\n\n the  needle\tis here " + std::string(500, 'b');
  auto match = search.match(PassageRole::user, text);
  ASSERT_TRUE(match);
  const Snippet snippet = search.snippet(text, *match);
  EXPECT_THAT(snippet.text, testing::HasSubstr("the needle is here"));
  ASSERT_EQ(snippet.highlights.size(), 1U);
  EXPECT_EQ(snippet.text.substr(snippet.highlights[0].first, 6), "needle");
}

const std::vector<std::string> kParts = {"retry", "Straße", "policy_", "E0277", "東京",  "タワー",  "한국어", "สวัสดี",   "🚀",
                                         ".",     " ",      "-",       "3.14",  "don't", "e\u0301", "™",      "\u00AD", "ﬁx"};

RC_GTEST_PROP(TextSearchProperty, WordsOfAMatchAreInTheText, ()) {
  const auto parts = *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(kParts));
  std::string text;
  for (const std::string& part : parts) text += part;
  const auto begin = *rc::gen::inRange<std::size_t>(0, text.size() + 1);
  const auto length = *rc::gen::inRange<std::size_t>(0, 24);
  std::string piece = to_valid_utf8(text.substr(begin, length));
  std::erase(piece, '"');
  const char* quote = *rc::gen::arbitrary<bool>() ? "\"" : "";
  TextSearch search(quote + piece + quote, *rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>());
  const bool found = !search.empty() && search.matches(text);
  RC_CLASSIFY(found, "found");
  if (!found) return;
  const std::string words = spaced_words(text);
  for (const WordTerm& term : search.terms()) RC_ASSERT(words.find(term.words) != std::string::npos);
}

}  // namespace
}  // namespace holdfast::search
