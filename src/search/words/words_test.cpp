// Words as the index sees them (threads-and-research §10, `local`).

#include "search/words/words.h"

#include <gmock/gmock.h>

namespace holdfast::search {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(Words, AreFoldedRunsOfLettersAndDigits) {
  EXPECT_THAT(words_of("The QUICK brown-fox, 42 times."), ElementsAre("the", "quick", "brown", "fox", "42", "times"));
  EXPECT_THAT(words_of(" \n\t.,;"), IsEmpty());
  EXPECT_THAT(words_of(""), IsEmpty());
}

TEST(Words, IdentifiersAreFoundWholeAndByTheirParts) {
  EXPECT_THAT(words_of("retry_policy"), ElementsAre("retrypolicy", "retry", "policy"));
  EXPECT_THAT(words_of("RetryPolicy"), ElementsAre("retrypolicy", "retry", "policy"));
  EXPECT_THAT(words_of("parseHTTPServer2"), ElementsAre("parsehttpserver2", "parse", "http", "server2"));
  EXPECT_THAT(words_of("MAX_RETRIES"), ElementsAre("maxretries", "max", "retries"));
  EXPECT_THAT(words_of("__init__"), ElementsAre("init"));
  EXPECT_THAT(words_of("kName"), ElementsAre("kname", "name"));  // single letters say nothing
  EXPECT_THAT(words_of("sha256 utf8"), ElementsAre("sha256", "utf8"));
  EXPECT_THAT(words_of("_ ___"), IsEmpty());
}

TEST(Words, OtherScriptsAreFolded) {
  EXPECT_THAT(words_of("Größe STRASSE Straße"), ElementsAre("grösse", "strasse", "strasse"));
  EXPECT_THAT(words_of("ΑΘΗΝΑ — Москва"), ElementsAre("αθηνα", "москва"));
  EXPECT_EQ(words_of("cafe\xCC\x81"), words_of("caf\xC3\xA9"));  // composed and not
  EXPECT_THAT(words_of("“quoted”—word"), ElementsAre("quoted", "word"));
}

TEST(Words, ScriptsWithoutBlanksBecomePairs) {
  EXPECT_THAT(words_of("東京都"), ElementsAre("東京", "京都"));
  EXPECT_THAT(words_of("水"), ElementsAre("水"));
  EXPECT_THAT(words_of("API設計v2"), ElementsAre("api", "設計", "v2"));
}

TEST(Words, LongOnesAreCutAndEncodedBytesAreNotTakenForNames) {
  EXPECT_THAT(words_of(std::string(500, 'a')), ElementsAre(std::string(kMaxWordBytes, 'a')));
  EXPECT_EQ(words_of("aBcDeFgHiJkLmNoPqRsTuVwX").size(), 1U);
  for (const std::string& word : words_of(std::string(300, '\xC3') + "\xA4" + std::string(200, 'z')))
    EXPECT_LE(word.size(), kMaxWordBytes);
}

TEST(Words, BrokenBytesSeparate) {
  EXPECT_THAT(words_of("left\xFFright"), ElementsAre("left", "right"));
  EXPECT_THAT(words_of("cut\xE6\x9D"), ElementsAre("cut"));
}

TEST(Words, StopWordsSayNothing) {
  EXPECT_TRUE(is_stop_word("the"));
  EXPECT_TRUE(is_stop_word("a"));
  EXPECT_TRUE(is_stop_word("yours"));
  EXPECT_FALSE(is_stop_word("retry"));
  EXPECT_FALSE(is_stop_word(""));
}

}  // namespace
}  // namespace holdfast::search
