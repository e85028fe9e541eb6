#include "kinds/reasoning/read/title.h"

#include <gtest/gtest.h>

namespace holdfast::reasoning {
namespace {

TEST(Title, S5_TheFirstSentence) {
  EXPECT_EQ(title_of("Find the leak. Then mend it."), "Find the leak");
  EXPECT_EQ(title_of("Why is it slow? Let us see"), "Why is it slow?");
  EXPECT_EQ(title_of("One line without an end"), "One line without an end");
}

TEST(Title, S5_AbbreviationsAndNumbersDoNotEndIt) {
  EXPECT_EQ(title_of("It drops e.g. the tail and more. Next"), "It drops e.g. the tail and more");
  EXPECT_EQ(title_of("Version 1.5 of foo.cpp fails. Next"), "Version 1.5 of foo.cpp fails");
}

TEST(Title, S5_WithoutMarkdown) {
  EXPECT_EQ(title_of("# The **plan**\n\nfirst"), "The plan");
  EXPECT_EQ(title_of("\n\n> - see [the docs](http://x) of `foo`. And"), "see the docs of foo");
  EXPECT_EQ(title_of("```\ncode here\n```"), "code here");
}

TEST(Title, S5_CutAtAWord) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "word ";
  const std::string title = title_of(text);
  EXPECT_LE(title.size(), kTitleLength + 2);
  EXPECT_TRUE(title.ends_with("word…")) << title;
}

TEST(Title, WithoutWordsIsEmpty) {
  EXPECT_EQ(title_of("***"), "");
  EXPECT_EQ(title_of(""), "");
}

}  // namespace
}  // namespace holdfast::reasoning
