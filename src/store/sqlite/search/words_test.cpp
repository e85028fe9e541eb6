#include "store/sqlite/search/words.h"

#include "base/text/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace holdfast::store {
namespace {

bool finds(std::string_view query, std::string_view text) {
  return WordQuery(query).matches(words_of(text));
}

TEST(Words, AreFoldedRunsOfLettersAndDigits) {
  EXPECT_EQ(words_of("Hello, World-42 foo_bar"), " hello world 42 foo bar ");
  EXPECT_EQ(words_of("STRASSE Straße ÄÖ"), " strasse strasse äö ");
  EXPECT_EQ(words_of("  ...  "), "");
  EXPECT_EQ(words_of(""), "");
}

TEST(Words, CharactersWithoutBlanksStandAlone) {
  EXPECT_EQ(words_of("東京タワーA"), " 東 京 タ ワ ー a ");
  EXPECT_TRUE(finds("京タ", "東京タワー"));
  EXPECT_FALSE(finds("タ京", "東京タワー"));
}

TEST(Words, BrokenBytesSeparate) {
  EXPECT_EQ(words_of("a\xff\xfe"
                     "b\xe4\xb8"),
            " a b ");
}

TEST(Words, LongRunsAreCut) {
  const std::string run(1000, 'x');
  EXPECT_EQ(words_of(run), " " + std::string(kMaxWordBytes, 'x') + " ");
  EXPECT_TRUE(finds(run, "a " + run + " b"));
}

TEST(WordQuery, NeedsEveryTerm) {
  EXPECT_TRUE(finds("cors fix", "the fix for CORS"));
  EXPECT_FALSE(finds("cors fix", "the CORS thing"));
  EXPECT_FALSE(finds("", "anything"));
  EXPECT_FALSE(finds(" - ", "anything"));
}

TEST(WordQuery, QuotesMakeAPhrase) {
  EXPECT_TRUE(finds("\"retry budget\"", "a Retry, budget of three"));
  EXPECT_FALSE(finds("\"retry budget\"", "budget for a retry"));
  EXPECT_FALSE(finds("\"retry bud\"", "retry budget"));
  EXPECT_TRUE(finds("\"unclosed phrase", "an unclosed phrase"));
}

TEST(WordQuery, AFileNameIsAPhrase) {
  EXPECT_TRUE(finds("foo-bar.cpp", "see src/foo-bar.cpp:12"));
  EXPECT_FALSE(finds("foo-bar.cpp", "bar foo cpp"));
}

TEST(WordQuery, OnlyTheLastTermMayBeABeginning) {
  EXPECT_TRUE(finds("connection pool", "connection pooling"));
  EXPECT_FALSE(finds("connect pool", "connection pool"));
  EXPECT_FALSE(finds("po", "pool"));
}

TEST(WordQuery, QuotesEveryWordForTheIndex) {
  EXPECT_EQ(WordQuery("OR near(x) pool").fts_expression(), "\" or \" \" near x \" \" pool\" *");
}

TEST(Snippet, ShowsTheMatchWithSomeContext) {
  const std::string text = std::string(500, 'a') + "\n\n the  needle\tis here " + std::string(500, 'b');
  const std::string snippet = snippet_of(text, WordQuery("needle"));
  EXPECT_THAT(snippet, testing::HasSubstr("the needle is here"));
  EXPECT_TRUE(snippet.starts_with("…"));
  EXPECT_LE(utf8_length(snippet), kSnippetChars + 1);
  EXPECT_EQ(snippet_of("short needle", WordQuery("needle")), "short needle");
}

RC_GTEST_PROP(WordProperty, AnyRunOfWordsIsFoundAsAPhrase, (std::vector<std::string> parts)) {
  std::string text;
  for (const std::string& part : parts) text += part + " ";
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    const std::string phrase = to_valid_utf8(parts[i] + " " + parts[i + 1]);
    if (phrase.contains('"') || words_of(phrase).empty()) continue;
    RC_ASSERT(WordQuery("\"" + phrase + "\"").matches(words_of(to_valid_utf8(text))));
  }
}

RC_GTEST_PROP(WordProperty, PlacesPointAtTheWordsOfTheText, (const std::string& text)) {
  std::vector<WordPlace> places;
  const std::string words = words_of(text, places);
  RC_ASSERT(words == words_of(text));
  for (const WordPlace& place : places) {
    RC_ASSERT(place.in_words > 0 && words[place.in_words - 1] == ' ');
    RC_ASSERT(place.in_text < text.size());
  }
}

}  // namespace
}  // namespace holdfast::store
