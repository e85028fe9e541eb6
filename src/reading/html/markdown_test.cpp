#include "reading/html/markdown.h"

#include "reading/html/test_markup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace holdfast::reading {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string html_of(std::string_view text) {
  Html html;
  write_markdown(html, text);
  return std::move(html).finish();
}

TEST(Markdown, Formats) {
  EXPECT_EQ(html_of("# A\n\n*b* **c** `d` ~~e~~"), "<h4>A</h4><p><em>b</em> <strong>c</strong> <code>d</code> <del>e</del></p>");
  EXPECT_EQ(html_of("3. x\n"), "<ol start=\"3\"><li>x</li></ol>");
  EXPECT_EQ(html_of("### A\n##### B\n## C\n### D"), "<h4>A</h4><h5>B</h5><h4>C</h4><h5>D</h5>") << "no level is left out";
  EXPECT_EQ(html_of("```py\n<x>\n```"), "<pre><code>&lt;x&gt;\n</code></pre>");
  EXPECT_THAT(html_of("|a|b|\n|---|---|\n|1|2|"), HasSubstr("<tbody><tr><td>1</td><td>2</td></tr></tbody>"));
  EXPECT_THAT(html_of("- [x] done\n- [ ] open"), HasSubstr("disabled checked"));
}

TEST(Markdown, RawHtmlStaysText) {
  for (const std::string_view hostile : {"<script>alert(1)</script>", "a <img src=x onerror=alert(1)> b", "<svg/onload=alert(1)>",
                                         "<!-- x -->", "<div>\n\n*x*\n</div>", "<a href=\"javascript:alert(1)\">x</a>"}) {
    EXPECT_THAT(html_of(hostile), Not(HasSubstr("<script"))) << hostile;
    EXPECT_EQ(wrong_markup(html_of(hostile)), "") << hostile;
  }
}

TEST(Markdown, OnlyHarmlessAddressesAreLinked) {
  EXPECT_EQ(html_of("[a](https://x.org/?a=1&b=\"2\")"),
            "<p><a href=\"https://x.org/?a=1&amp;b=&quot;2&quot;\" rel=\"noopener noreferrer nofollow\">a</a></p>");
  EXPECT_THAT(html_of("[a](#msg-3)"), HasSubstr("href=\"#msg-3\""));
  for (const std::string_view address :
       {"javascript:alert(1)", "JaVaScRiPt:alert(1)", "java\tscript:alert(1)", "&#106;avascript:alert(1)", "data:text/html,x",
        "vbscript:x", "file:///etc/passwd", "//evil.org/x", "/etc/passwd", "x.html", "\u0001javascript:x"})
    EXPECT_THAT(html_of("[a](" + std::string(address) + ")"), Not(HasSubstr("href"))) << address;
  EXPECT_THAT(html_of("[a](javascript:alert(1))"), HasSubstr("a (javascript:alert(1))"));
  EXPECT_THAT(html_of("<javascript:alert(1)>"), Not(HasSubstr("href")));
}

TEST(Markdown, ImagesAreNamedNotFetched) {
  EXPECT_EQ(html_of("![alt](https://x.org/a.png)"),
            "<p>[image: <a href=\"https://x.org/a.png\" rel=\"noopener noreferrer nofollow\">alt</a>]</p>");
  EXPECT_THAT(html_of("[![a](https://x.org/a.png)](https://x.org)"), Not(HasSubstr("<img")));
  EXPECT_EQ(wrong_markup(html_of("[![a](https://x.org/a.png)](https://x.org)")), "");
}

TEST(Markdown, EntitiesCannotHideAnything) {
  EXPECT_EQ(html_of("&lt;b&gt; &amp; &#x202E;x &#60; &unknown;"), "<p>&lt;b&gt; &amp; ⟨U+202E⟩x &lt; &amp;unknown;</p>");
}

TEST(Markdown, DeepNestingIsShownAsItStands) {
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += "> ";
  const std::string html = html_of(deep + "x");
  EXPECT_THAT(html, testing::StartsWith("<pre>"));
  EXPECT_EQ(wrong_markup(html), "");
}

// The parser ends a link here that it has not begun.
TEST(Markdown, LinksThatEndWithoutABeginningAreShownAsTheyStand) {
  const std::string html = html_of(
      "> - 1. [!1. [![\x12"
      "a](]b[)a(b)](<c d>)\n");
  EXPECT_EQ(wrong_markup(html), "");
  EXPECT_THAT(html, testing::HasSubstr("(b)](&lt;c d&gt;)"));
}

TEST(Markdown, LongTextIsShownAsItStands) {
  EXPECT_THAT(html_of("*a*" + std::string(kMarkdownBytes, 'x')), testing::StartsWith("<pre>*a*"));
}

RC_GTEST_PROP(Markdown, OnlyAllowedMarkupComesOut, ()) {
  // Words of Markdown and HTML in any order find more than any bytes would.
  const auto words = *rc::gen::container<std::vector<std::string>>(
      rc::gen::element<std::string>("<", ">", "\"", "'", "&", "[", "](", ")", "![", "javascript:", "https://x", "`", "```\n", "*",
                                    "_", "~~", "#", "\n", "\n\n", "> ", "- ", "1. ", "|", "|---|\n", "<script>", "</a>",
                                    "onload=", "&#x3c;", "\\", " ", "a", "\t", "<a href=", ":", "mailto:", "[x]: "));
  std::string text;
  for (const std::string& word : words) text += word;
  RC_ASSERT(wrong_markup(html_of(text)) == "");
}

}  // namespace
}  // namespace holdfast::reading
