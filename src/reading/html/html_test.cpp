#include "reading/html/html.h"

#include "base/text/text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace holdfast::reading {
namespace {

TEST(Html, TextCannotBecomeMarkup) {
  Html page;
  page.open("p", {{"title", R"("><script>)"}}).text("<script>alert('x')</script> & more").close();
  EXPECT_EQ(std::move(page).finish(),
            "<p title=\"&quot;&gt;&lt;script&gt;\">&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; more</p>");
}

TEST(Html, ElementsAreClosedInOrder) {
  Html page;
  page.open("ul").element("li", "a").element("li", "b", {{"class", "x"}}).lone("hr").open("li").open("b").text("c");
  EXPECT_EQ(std::move(page).finish(), "<ul><li>a</li><li class=\"x\">b</li><hr><li><b>c</b></li></ul>");
}

TEST(Html, ClosingTooOftenDoesNothing) {
  Html page;
  page.close().raw("<!doctype html>").close();
  EXPECT_EQ(std::move(page).finish(), "<!doctype html>");
}

TEST(Html, ControlsAndBrokenBytesAreReplaced) {
  EXPECT_EQ(escape_html(std::string("a\0b\x1b[1m", 7)),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD[1m");
  EXPECT_EQ(escape_html("a\xff<"), "a\xEF\xBF\xBD&lt;");
  EXPECT_EQ(escape_html("tab\tline\n"), "tab\tline\n");
}

RC_GTEST_PROP(Html, EscapedTextHasNoMarkupAndIsValid, (const std::string& text)) {
  const std::string escaped = escape_html(text);
  RC_ASSERT(std::ranges::none_of(escaped, [](char c) { return c == '<' || c == '>' || c == '"' || c == '\''; }));
  RC_ASSERT(is_valid_utf8(escaped));
}

}  // namespace
}  // namespace holdfast::reading
