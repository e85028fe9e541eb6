#include "reading/html/markdown_turns.h"

#include <gtest/gtest.h>

namespace holdfast::reading {
namespace {

TEST(SafeMarkdown, NoTagComesAlive) {
  EXPECT_EQ(safe_markdown("a <script>alert(1)</script> b"), "a &lt;script>alert(1)&lt;/script> b\n");
  EXPECT_EQ(safe_markdown("x\\<img src=x>"), "x\\&lt;img src=x>\n");
  EXPECT_EQ(safe_markdown("<http://a.example>"), "&lt;http://a.example>\n");
}

TEST(SafeMarkdown, CodeStaysCodeWhereEverybodyTakesItForThat) {
  EXPECT_EQ(safe_markdown("use `a<b>` and ``x ` <y>``"), "use `a<b>` and ``x ` <y>``\n");
  EXPECT_EQ(safe_markdown("`a\n<script>`"), "`a\n&lt;script>`\n") << "a span over two lines may be none";
  EXPECT_EQ(safe_markdown("\\`<b>`"), "\\`&lt;b>`\n") << "an escaped backtick opens nothing";
  EXPECT_EQ(safe_markdown("`a | <b>`"), "`a | &lt;b>`\n") << "a bar ends a cell of a table";
  EXPECT_EQ(safe_markdown("```html\n<b>\n```\n<i>"), "```html\n<b>\n```\n&lt;i>\n");
  EXPECT_EQ(safe_markdown("~~~\n<b>\n```\n~~~"), "~~~\n<b>\n```\n~~~\n");
  EXPECT_EQ(safe_markdown("- a\n  ```\n<b>"), "- a\n  ```\n&lt;b>\n") << "a fence in a list ends with it";
  EXPECT_EQ(safe_markdown("``` a`b\n<b>"), "``` a`b\n&lt;b>\n") << "that is no fence";
  EXPECT_EQ(safe_markdown("x\r```\r<b>\r```\r<i>"), "x\n```\n<b>\n```\n&lt;i>\n");
}

TEST(SafeMarkdown, AnUnclosedFenceEndsWithTheText) {
  EXPECT_EQ(safe_markdown("look:\n````\nunclosed"), "look:\n````\nunclosed\n````\n");
}

TEST(SafeMarkdown, LinksLeadToTheWebAndImagesAreText) {
  EXPECT_EQ(safe_markdown("[a](https://a.example/x)"), "[a](https://a.example/x)\n");
  EXPECT_EQ(safe_markdown("[a](notes/b.md#c)"), "[a](notes/b.md#c)\n");
  EXPECT_EQ(safe_markdown("[a](javascript:alert(1))"), "[a]\\(javascript:alert(1))\n");
  EXPECT_EQ(safe_markdown("[a]( JavaScript:x)"), "[a]\\( JavaScript:x)\n");
  EXPECT_EQ(safe_markdown("[a](&#106;avascript:x)"), "[a]\\(&#106;avascript:x)\n");
  EXPECT_EQ(safe_markdown("[a](\njavascript:x)"), "[a]\\(\njavascript:x)\n");
  EXPECT_EQ(safe_markdown("[a]: javascript:x"), "[a]\\: javascript:x\n");
  EXPECT_EQ(safe_markdown("![i](http://evil.example/x.png)"), "!\\[i](http://evil.example/x.png)\n");
}

TEST(SafeMarkdown, HeadingsStayBelowThoseOfTheDocument) {
  EXPECT_EQ(safe_markdown("# one\n  ## two"), "### one\n  #### two\n");
  EXPECT_EQ(safe_markdown("forged\n======\n---\n- item"), "forged\n\\======\n\\---\n- item\n");
  EXPECT_EQ(safe_markdown("```\n# code\n```"), "```\n# code\n```\n");
}

TEST(SafeMarkdown, ATitleIsText) {
  EXPECT_EQ(escaped_markdown("</title><script>alert(0)</script>"), "&lt;/title\\>&lt;script\\>alert(0)&lt;/script\\>");
  EXPECT_EQ(escaped_markdown("a_b *c* [d](e) `f` - 1.2"), "a\\_b \\*c\\* \\[d\\](e) \\`f\\` - 1.2");
}

}  // namespace
}  // namespace holdfast::reading
