#include "kinds/research/text/markdown_text.h"

#include <gtest/gtest.h>

namespace holdfast::research {
namespace {

TEST(QuotedText, S10_NumbersInBracketsAreNotCitations) {
  EXPECT_EQ(as_quoted("see [12] and `a[0]`", Brackets::numbers), "see \\[12] and `a[0]`");
}

TEST(QuotedText, S10_PicturesAndMarkupOfADocumentAreText) {
  EXPECT_EQ(as_quoted("![x](http://evil/p.png) <script>a()</script> <!-- c -->", Brackets::numbers),
            "!\\[x](http://evil/p.png) \\<script>a()\\</script> \\<!-- c -->");
  EXPECT_EQ(as_quoted("[title](javascript:x)", Brackets::all), "\\[title](javascript:x)");
}

TEST(QuotedText, P20BackticksThatCloseNothingHideNoPicture) {
  EXPECT_EQ(as_quoted("```![x](http://evil/p.png)`` and [1]", Brackets::numbers), "```!\\[x](http://evil/p.png)`` and \\[1]");
}

TEST(QuotedText, S10_OrdinaryTextAndCodeStayAsTheyAre) {
  for (const char* text : {"a < b, 2 <3", "the file `<store>.index`", "see [the guide](guide.md)", "one ` alone"})
    EXPECT_EQ(as_quoted(text, Brackets::numbers), text);
}

}  // namespace
}  // namespace holdfast::research
