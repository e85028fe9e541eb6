#include "kinds/research/text/html.h"

#include "base/text/text.h"

#include <gmock/gmock.h>

namespace holdfast::research {
namespace {

using ::testing::ElementsAre;

std::string text(std::string_view html) {
  return reduce_html(html).text;
}

TEST(Html, BlockElementsStandOnLinesOfTheirOwn) {
  EXPECT_EQ(text("<h1>Title</h1><p>One <b>bold</b> word.<p>Two<br>lines<ul><li>a<li>b</ul>"),
            "Title\n\nOne bold word.\n\nTwo\nlines\n\na\nb");
  EXPECT_EQ(text("  a \n\n  b\t c  "), "a b c");
  EXPECT_EQ(text("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>"), "a b\nc");
}

TEST(Html, PreformattedTextKeepsItsLines) {
  EXPECT_EQ(text("x<pre>a\n  b\n\nc</pre>y"), "x\n\na\n  b\n\nc\n\ny");
}

TEST(Html, ScriptsStylesAndCommentsAreLeftOut) {
  EXPECT_EQ(
      text("a<script>if (x < y) { alert('</b>') }</script>b<style>p{}</style><!-- no <p> -->c<noscript><p>d</p></noscript>e"),
      "abce");
  EXPECT_EQ(text("a<SCRIPT type=\"x>y\">no</ScRiPt >b"), "ab");
  EXPECT_EQ(text("a<!DOCTYPE html><?xml version='1'?>b"), "ab");
  EXPECT_EQ(text("before<script>never closed"), "before");
  EXPECT_EQ(text("before<!-- never closed"), "before");
}

TEST(Html, EntitiesAreDecoded) {
  EXPECT_EQ(text("a &amp; b &lt;c&gt; &quot;d&quot; &#65;&#x42; &eacute;&hellip; &nbsp; x"), "a & b <c> \"d\" AB é… x");
  EXPECT_EQ(text("AT&T &unknown; &; &#; &#x; &#xZZ;"), "AT&T &unknown; &; &#; &#x; &#xZZ;");
  EXPECT_EQ(text("&#0;&#xD800;&#x110000;&#99999999999;"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD&#99999999999;");
  EXPECT_EQ(text("&#150;"), "–");
}

TEST(Html, TheTitleIsApartFromTheText) {
  const HtmlText titled = reduce_html("<title>A &amp;\n B <b></title>c<title>second</title>");
  EXPECT_EQ(titled.text, "c");
  EXPECT_EQ(titled.title, "A & B <b>");
  EXPECT_EQ(reduce_html("no title").title, "");
}

TEST(Html, BrokenMarkupIsTolerated) {
  EXPECT_EQ(text("1 < 2 and 3 > 2 <"), "1 < 2 and 3 > 2 <");
  EXPECT_EQ(text("a<b class=\"x>y\" title='>'>c"), "ac");
  EXPECT_EQ(text("a<b title=\"never closed>c"), "ac");
  EXPECT_EQ(text("a<b"), "a");
  EXPECT_EQ(text(""), "");
}

TEST(Html, Latin1IsToldFromUtf8) {
  EXPECT_EQ(text("caf\xE9 \x93quoted\x94"), "café “quoted”");
  EXPECT_EQ(text("<meta charset=utf-8>caf\xE9 x"), "caf\xEF\xBF\xBD x");
  EXPECT_EQ(text("\xEF\xBB\xBF"
                 "café"),
            "café");
}

TEST(Html, EachLineKnowsWhereItBeginsInTheSource) {
  const HtmlText reduced = reduce_html("<html>\n<!-- a\nb -->\n<p>one</p>\n\n<p>two\nstill two</p><pre>x\ny</pre>");
  EXPECT_EQ(reduced.text, "one\n\ntwo still two\n\nx\ny");
  EXPECT_THAT(reduced.lines, ElementsAre(4, 6, 6, 7, 7, 8));
}

TEST(Html, HostilePagesTakeLinearTime) {
  // Each of these took the square of its size in some form of the scanner; at a megabyte that would be minutes.
  for (const std::string_view piece : {"<a \"", "<a '", "<!-", "</script", "<title>", "<script>", "&#", "<", "<p \"'"}) {
    std::string page;
    while (page.size() < 1'000'000) page += piece;
    EXPECT_TRUE(is_valid_utf8(text(page)));
  }
}

}  // namespace
}  // namespace holdfast::research
