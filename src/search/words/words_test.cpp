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

// What the classifier says, one letter a character: separator blank letter paired (by itself) picture.
std::string kinds(std::string_view text) {
  std::string shown;
  for (std::size_t at = 0, length = 0; at < text.size(); at += length)
    shown += "sblpo"[static_cast<std::size_t>(kind_at(text, at, length))];
  return shown;
}

TEST(Characters, OfEveryScriptOneAnswer) {
  EXPECT_EQ(kinds("aZ09 _.,\t"), "llllbsssb");
  EXPECT_EQ(kinds("äßжΩאبक"), "lllllll");
  EXPECT_EQ(kinds("水々ひらカター・"), "ppppppps");
  EXPECT_EQ(kinds("한국 어ㅋ"), "ppbpp");
  EXPECT_EQ(kinds("สวัสดี ๑๒ ๆ"), "ppppppbllbp");  // vowels are marks, digits are digits
  EXPECT_EQ(kinds("ພາສາ မြန်မာ ភាសា"), "ppppbppppppbpppp");
  EXPECT_EQ(kinds("e\u0301 क्षि"), "llbllll");  // marks belong to their letter
  EXPECT_EQ(kinds("🚀👍🏽🇩🇪✔©"), "oosoooo");
  EXPECT_EQ(kinds("“—…→∑€│"), "sssssss");
  EXPECT_EQ(kinds("\u00A0\u2003\u200B\u200D\u00AD"), "bbbll");
  EXPECT_EQ(kinds("\xFF\xE6\x9D"), "sss");
}

TEST(Characters, AreFoundBackwards) {
  const std::string text = "aä水🚀";
  EXPECT_EQ(kind_before(text, 1), CharacterKind::letter);
  EXPECT_EQ(kind_before(text, 3), CharacterKind::letter);
  EXPECT_EQ(kind_before(text, 6), CharacterKind::paired);
  EXPECT_EQ(kind_before(text, 10), CharacterKind::picture);
}

TEST(Words, OfScriptsThatOnlyADictionaryCuts) {
  EXPECT_THAT(words_of("한국어 API"), ElementsAre("한국", "국어", "api"));
  EXPECT_THAT(words_of("ไทย"), ElementsAre("ไท", "ทย"));
  EXPECT_THAT(words_of("done🚀🔥, ok"), ElementsAre("done", "🚀", "🔥", "ok"));
  EXPECT_THAT(words_of("Ver\u00ADtrag a\u200Bb"), ElementsAre("vertrag", "a", "b"));
}

TEST(SpacedWords, AreEachWordOnce) {
  EXPECT_EQ(spaced_words("Hello, World-42 foo_bar"), " hello world 42 foo bar ");
  EXPECT_EQ(spaced_words("STRASSE Straße ÄÖ"), " strasse strasse äö ");
  EXPECT_EQ(spaced_words("東京タワーA"), " 東 京 タ ワ ー a ");
  EXPECT_EQ(spaced_words("한국 สวั 3.14 don't"), " 한 국 ส ว ั 3 14 don t ");
  EXPECT_EQ(spaced_words("  ...  "), "");
  EXPECT_EQ(spaced_words(""), "");
  EXPECT_EQ(spaced_words("a\xFF\xFE"
                         "b\xE4\xB8"),
            " a b ");
  EXPECT_EQ(spaced_words(std::string(1000, 'x')), " " + std::string(kMaxWordBytes, 'x') + " ");
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
