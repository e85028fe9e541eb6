#include "search/query/ranked_query.h"

#include "search/query/snippet.h"

#include <gmock/gmock.h>

namespace holdfast::search {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(RankedQueryText, WordsOnceAndPartsInsteadOfWholes) {
  EXPECT_THAT(parse_ranked_query("The retry_policy the").words, ElementsAre("the", "retry", "policy"));
  const RankedQuery query = parse_ranked_query("x \"old pier\" y \"one\"");
  EXPECT_THAT(query.words, ElementsAre("x", "old", "pier", "y", "one"));
  EXPECT_THAT(query.phrases, ElementsAre(ElementsAre("old", "pier")));
}

TEST(RankedSnippet, IsAVerbatimPartOfTheText) {
  constexpr std::size_t kMost = 200;
  std::string text = "first\n";
  for (int i = 0; i < 3000; ++i) text += "word ";
  text += "needle ä ";
  for (int i = 0; i < 3000; ++i) text += "wörd ";
  const Snippet snippet = snippet_of(text, parse_ranked_query("needle"), SnippetForm::verbatim, kMost);
  EXPECT_EQ(snippet.line, 2U);
  EXPECT_THAT(snippet.text, HasSubstr("needle"));
  EXPECT_LE(snippet.text.size(), 2 * kMost);
  EXPECT_GE(snippet.text.size(), kMost / 2);
  EXPECT_NE(text.find(snippet.text), std::string::npos);
}

// Signs that mean something to other searches are none of the words here.
TEST(RankedQueryText, HasWordsAndPhrasesAlone) {
  EXPECT_THAT(parse_ranked_query("-kelp *pier* wh*").words, ElementsAre("kelp", "pier", "wh"));
  EXPECT_THAT(parse_ranked_query(" \"\" ").words, IsEmpty());
  EXPECT_THAT(parse_ranked_query("\"never closed").phrases, ElementsAre(ElementsAre("never", "closed")));
}

TEST(RankedSnippet, OnOneLineBeginsWithTheBestLine) {
  const std::string text = "first\nsecond  line\thas kelp\nand a pier\n";
  const Snippet snippet = snippet_of(text, parse_ranked_query("kelp second"), SnippetForm::one_line, 300);
  EXPECT_EQ(snippet.line, 2U);
  EXPECT_EQ(snippet.text, "second line has kelp and a pier");
  EXPECT_EQ(snippet_of(text, parse_ranked_query("walrus"), SnippetForm::one_line, 12).text, "first secon…");
  EXPECT_EQ(snippet_of(" \n", parse_ranked_query("walrus"), SnippetForm::verbatim, 12).text, "");
}

TEST(QueryWords, AreDistinctWithoutStopWordsUnlessThereAreNoOthers) {
  using ::testing::ElementsAre;
  EXPECT_THAT(query_words("what did we decide about the retries, the retries?"), ElementsAre("decide", "retries"));
  EXPECT_THAT(query_words("to be or not to be"), ElementsAre("to", "be", "or", "not"));
  std::string essay;
  for (int i = 0; i < 100'000; ++i) essay += "w" + std::to_string(i) + ' ';
  EXPECT_EQ(query_words(essay).size(), kMaxQueryWords);
}

}  // namespace
}  // namespace holdfast::search
