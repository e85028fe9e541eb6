#include "kinds/research/text/sentences.h"

#include "kinds/research/engine/engine.h"
#include "kinds/research/text/question_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace holdfast::research {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> texts(std::string_view text) {
  std::vector<std::string> list;
  for (const Sentence& sentence : sentences_of(text)) list.push_back(sentence.text);
  return list;
}

TEST(Sentences, AParagraphIsOneTextHoweverItIsWrapped) {
  EXPECT_THAT(texts("One sentence\nover two lines. And\nanother!  A third?"),
              ElementsAre("One sentence over two lines.", "And another!", "A third?"));
}

TEST(Sentences, FullStopsInsideOfSentences) {
  EXPECT_THAT(
      texts("Use e.g. Redis 3.5 or config.json here. See Dr. Who etc. for more. (Yes.) \"Never.\" End"),
      ElementsAre("Use e.g. Redis 3.5 or config.json here.", "See Dr. Who etc. for more.", "(Yes.)", "\"Never.\"", "End"));
}

TEST(Sentences, MarkdownIsUnderstood) {
  const auto sentences = sentences_of(
      "# Title\n\n- first item\n  goes on\n- second item\n\n1. numbered\n\n> quoted\n\n```\ncode();\n```\n\n## "
      "Part\n\nText.\n---\n");
  std::vector<std::string> shown;
  for (const Sentence& sentence : sentences) shown.push_back(sentence.heading + ": " + sentence.text);
  EXPECT_THAT(shown,
              ElementsAre("Title: first item goes on", "Title: second item", "Title: numbered", "Title: quoted", "Part: Text."));
}

TEST(Sentences, NothingGivesNothing) {
  EXPECT_THAT(texts(""), IsEmpty());
  EXPECT_THAT(texts("\n \n###\n---\n"), IsEmpty());
  EXPECT_THAT(texts("```\nnever closed"), IsEmpty());
}

RC_GTEST_PROP(Sentences, EverySentenceStandsInItsText, ()) {
  const auto text =
      *rc::gen::container<std::string>(rc::gen::element('a', 'B', ' ', '\n', '.', '!', '?', '#', '-', '>', '1', '|', '"', '`'));
  for (const Sentence& sentence : sentences_of(text)) {
    // Words of one sentence follow each other in the text; marks of lists and quotations between lines are left out.
    std::string letters, all;
    for (const char c : sentence.text)
      if (c == 'a' || c == 'B') letters += c;
    for (const char c : text)
      if (c == 'a' || c == 'B') all += c;
    RC_ASSERT(all.find(letters) != std::string::npos);
  }
}

TEST(Quotes, S10_StandInTheSourceWhiteSpaceAside) {
  EXPECT_TRUE(stands_in("two  lines\tfolded", "These are two\n   lines folded."));
  EXPECT_FALSE(stands_in("two lines Folded", "These are two lines folded."));
  EXPECT_FALSE(stands_in("  ", "anything"));
}

TEST(Stems, WordsAreSearchedForInBothNumbers) {
  EXPECT_THAT(forms_of("retries"), ElementsAre("retries", "retry"));
  EXPECT_THAT(forms_of("retry"), ElementsAre("retry", "retries"));
  EXPECT_THAT(forms_of("lease"), ElementsAre("lease", "leases"));
  EXPECT_THAT(forms_of("status"), ElementsAre("status"));
}

TEST(Stems, KeywordGroupsAreTheNounLikeParts) {
  EXPECT_THAT(keyword_groups("How does the scheduler handle retries, and what is the timeout for storage leases?"),
              ElementsAre("scheduler", "retries", "timeout", "storage leases"));
  EXPECT_THAT(keyword_groups("what did we decide about retries?"), ElementsAre("retries"));
  EXPECT_THAT(keyword_groups("what is it?"), IsEmpty());
}

}  // namespace
}  // namespace holdfast::research
