#include "kinds/documents/text/text_versions.h"

#include "base/crypto/hash.h"

#include <gmock/gmock.h>

namespace holdfast::documents {
namespace {

std::string long_text(char c) {
  return std::string(100'000, c);
}

TEST(TextVersions, AnswersWithTheHashOfTheBytes) {
  TextVersions versions;
  for (const std::string& text : {std::string(), std::string("short"), long_text('a'), std::string(9'000'000, 'b')})
    for (int again = 0; again < 2; ++again) EXPECT_EQ(versions.version_of(text), to_hex(sha256(text)));
}

TEST(TextVersions, TellsTextsOfOneLengthApart) {
  TextVersions versions;
  std::string text = long_text('a');
  const std::string first = versions.version_of(text);
  text.back() = 'b';
  EXPECT_NE(versions.version_of(text), first);
  EXPECT_EQ(versions.version_of(text), to_hex(sha256(text)));
  EXPECT_EQ(versions.version_of(long_text('a')), first);
}

TEST(TextVersions, BelievesWhatItIsTold) {
  TextVersions versions;
  versions.remember(long_text('a'), "told");
  EXPECT_EQ(versions.version_of(long_text('a')), "told");
}

TEST(TextVersions, KeepsTheFewThatWereUsedLast) {
  TextVersions versions;
  versions.remember(long_text('a'), "told");
  for (const char c : {'b', 'c', 'd'}) versions.version_of(long_text(c));
  EXPECT_EQ(versions.version_of(long_text('a')), "told");
  for (const char c : {'e', 'f', 'g', 'h'}) versions.version_of(long_text(c));
  EXPECT_EQ(versions.version_of(long_text('a')), to_hex(sha256(long_text('a'))));
}

}  // namespace
}  // namespace holdfast::documents
