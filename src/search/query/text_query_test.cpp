#include "search/query/text_query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::search {
namespace {

// "w:word p:prefix l:literal q:phrase", "-" in front of what is excluded.
std::string parsed(std::string_view text, bool as_typed = false) {
  const auto clauses = parse_text_query(text, {.as_typed = as_typed});
  if (!clauses) return std::string(name_of(clauses.error().kind));
  std::string shown;
  for (const TextClause& clause : *clauses) {
    if (!shown.empty()) shown += ' ';
    if (clause.excluded) shown += '-';
    shown += "wplq"[static_cast<int>(clause.kind)];
    shown += ":" + clause.text;
  }
  return shown;
}

TEST(TextQueryText, Words) {
  EXPECT_EQ(parsed("retry policy"), "w:retry w:policy");
  EXPECT_EQ(parsed("  Ärger\tüber  "), "w:Ärger w:über");
  EXPECT_EQ(parsed("what did we decide about retries?"), "w:what w:did w:we w:decide w:about w:retries");
  EXPECT_EQ(parsed("2026"), "w:2026");
}

TEST(TextQueryText, PartsOfWords) {
  EXPECT_EQ(parsed("retr*"), "p:retr");
  EXPECT_EQ(parsed("*etr*"), "l:etr");
  EXPECT_EQ(parsed("*try"), "l:try");
  EXPECT_EQ(parsed("foo_b*"), "l:foo_b");
  EXPECT_EQ(parsed("* **"), "l:* l:**");
}

TEST(TextQueryText, PhrasesAndWithout) {
  EXPECT_EQ(parsed("\"two words\" -not -\"a phrase\""), "q:two words -w:not -q:a phrase");
  EXPECT_EQ(parsed("\"never closed"), "q:never closed");
  EXPECT_EQ(parsed("\"\" x"), "w:x");
  EXPECT_EQ(parsed("--flag - a-b"), "l:--flag l:- l:a-b");
}

TEST(TextQueryText, CodeAndScriptsWithoutBlanks) {
  EXPECT_EQ(parsed("foo_bar src/a.cpp a::b E0277 don't"), "l:foo_bar l:src/a.cpp l:a::b l:E0277 l:don't");
  EXPECT_EQ(parsed("検索 한국어"), "l:検索 l:한국어");
}

TEST(TextQueryText, WhileItIsTyped) {
  EXPECT_EQ(parsed("retry pol", true), "w:retry p:pol");
  EXPECT_EQ(parsed("retry pol ", true), "w:retry w:pol");
  EXPECT_EQ(parsed("foo_b", true), "l:foo_b");
  EXPECT_EQ(parsed("\"in the fo", true), "l:in the fo");
}

TEST(TextQueryText, CodesMayBeWords) {
  const auto clauses = parse_text_query("E0277 src/a1.cpp a2* *a3", {.codes_are_words = true});
  ASSERT_TRUE(clauses);
  EXPECT_EQ(clauses->at(0).kind, TextClause::Kind::word);
  EXPECT_EQ(clauses->at(1).kind, TextClause::Kind::literal);
  EXPECT_EQ(clauses->at(2).kind, TextClause::Kind::prefix);
  EXPECT_EQ(clauses->at(3).kind, TextClause::Kind::literal);
}

TEST(TextQueryText, OtherScripts) {
  EXPECT_EQ(parsed("สวัสดี ភាសា 🚀 क्षि e\u0301te\u0301 1,000.5"), "l:สวัสดี l:ភាសា l:🚀 w:क्षि w:e\u0301te\u0301 l:1,000.5");
}

TEST(TextQueryText, Nothing) {
  EXPECT_EQ(parsed(""), "invalid");
  EXPECT_EQ(parsed(" \t\n"), "invalid");
  EXPECT_EQ(parsed("\"\""), "invalid");
  EXPECT_EQ(parsed("\xFF\xFE"), "l:\xFF\xFE");
}

}  // namespace
}  // namespace holdfast::search
