// What the program does to the text of a report: threads-and-research §10, synthesis.

#include "kinds/research/engine/report_text.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>

namespace holdfast::research {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<Source> sources(int count) {
  std::vector<Source> list;
  for (int i = 1; i <= count; ++i) {
    Source source;
    source.id = "src-" + std::to_string(i);
    source.citation = i;
    source.uri = "https://example.org/" + std::to_string(i);
    source.title = "Title " + std::to_string(i);
    list.push_back(source);
  }
  return list;
}

TEST(Citations, S10_DanglingNumbersAreRemovedAndSourcesAppended) {
  const CheckedReport checked = check_citations("# T\n\nOne [1]. Two [7]. Three [2][9].", sources(3));
  EXPECT_EQ(checked.text,
            "# T\n\nOne [1]. Two. Three [2].\n\n## Sources\n\n- [1] Title 1. <https://example.org/1>\n- [2] Title 2. "
            "<https://example.org/2>\n\nRead, but not cited:\n\n- [3] Title 3. <https://example.org/3>\n");
  EXPECT_EQ(checked.check.cited, 2);
  EXPECT_EQ(checked.check.dangling_removed, 2);
  EXPECT_EQ(checked.check.unreferenced, 1);
}

TEST(Citations, S10_ListsAndRangesOfNumbersAreUnderstood) {
  const CheckedReport checked = check_citations("A [1, 3]. B [1-3]. C [2; 8]. D [1–2].", sources(3));
  EXPECT_THAT(checked.text, HasSubstr("A [1][3]. B [1][2][3]. C [2]. D [1][2]."));
  EXPECT_EQ(checked.check.dangling_removed, 1);
}

TEST(Citations, S10_TheModelsOwnSourceListIsDropped) {
  for (const std::string heading : {"## Sources", "### References:", "# Bibliography", "**Sources:**", "Sources:"}) {
    const CheckedReport checked =
        check_citations("# T\n\nText [1].\n\n" + heading + "\n\n1. Invented, https://nowhere.example [1]\n", sources(1));
    EXPECT_THAT(checked.text, Not(HasSubstr("Invented"))) << heading;
    EXPECT_EQ(checked.check.cited, 1);
  }
}

TEST(Citations, S10_WhatFollowsTheListStays) {
  const CheckedReport checked = check_citations("# T\n\n## Sources\n\n- invented\n\n## Conclusions\n\nStays [1].", sources(1));
  EXPECT_THAT(checked.text, HasSubstr("Stays [1]."));
  EXPECT_THAT(checked.text, Not(HasSubstr("invented")));
}

TEST(Citations, LinksAndEscapedBracketsAreNoCitations) {
  const CheckedReport checked = check_citations("See [nine](guide.md#9), \\[12] and [x] and [1].", sources(1));
  EXPECT_THAT(checked.text, HasSubstr("See [nine](guide.md#9), \\[12] and [x] and [1]."));
  EXPECT_EQ(checked.check.dangling_removed, 0);
}

TEST(Citations, P20InventedAddressesOfEveryFormAreTakenOut) {
  const std::pair<std::string, std::string> forms[] = {
      {"Bare https://nowhere.example/a?b=(c), and on [1].", "Bare, and on [1]."},
      {"In angles <https://nowhere.example/a> here [1].", "In angles here [1]."},
      {"In brackets (https://nowhere.example/a) here [1].", "In brackets here [1]."},
      {"A host www.nowhere.example/a here [1].", "A host here [1]."},
      {"A [link](https://nowhere.example/a \"title\") [1].", "A link [1]."},
      {"A [link](<https://nowhere.example/a b>) [1].", "A link [1]."},
      {"A number [9](https://nowhere.example/a) [1].", "A number [1]."},
      {"A number [1](https://nowhere.example/a).", "A number [1]."},
      {"A picture ![of it](https://nowhere.example/a.png) [1].", "A picture [1]."},
      {"HTML <a href=\"https://nowhere.example\">words</a> [1].", "HTML words [1]."},
      {"Alone in code `https://nowhere.example/a` [1].", "Alone in code [1]."},
      {"**https://nowhere.example/a** bold [1].", " bold [1]."},
      {"Another scheme ftp://nowhere.example/a [1].", "Another scheme [1]."},
      {"By [reference][r] and [r] [1].\n\n[r]: https://nowhere.example/r \"R\"", "By reference and r [1]."},
      {"A note[^1] [1].\n\n[^1]: Invented, 2021, https://nowhere.example/n\n    and more of it\n", "A note [1]."},
      {"A note of nothing[^7] [1].", "A note of nothing [1]."},
      {"- one [1]\n- https://nowhere.example/x\n- two", "- one [1]\n- two"},
      {"- one [1]\n\n      see https://nowhere.example/x there", "- one [1]\n\n      see there"},
      {"Without a scheme nowhere.example/x, and //nowhere.example/y here [1].", "Without a scheme, and here [1]."},
      {"With a port nowhere.example:8080 here [1].", "With a port here [1]."},
      {"Backslashes https:\\\\nowhere.example\\x here [1].", "Backslashes here [1]."},
      {"A number http://[::1]:80/nowhere here [1].", "A number here [1]."},
      {"A mailbox <ada@nowhere.example> or mailto:ada@nowhere.example here [1].", "A mailbox or here [1]."},
      {"A name and a word https://ada:word@nowhere.example/x?y=(1). So [1].", "A name and a word. So [1]."},
      {"A picture in a link [![of it](https://nowhere.example/a.png)](https://nowhere.example/b) [1].",
       "A picture in a link [1]."},
      {"| a | b |\n|---|---|\n| [n](https://nowhere.example/a) [1] | https://nowhere.example/b |",
       "| a | b |\n|---|---|\n| n [1] | |"},
  };
  for (const auto& [written, left] : forms) {
    const CheckedReport checked = check_citations(written, sources(1));
    EXPECT_EQ(checked.text.substr(0, checked.text.find("\n\n## Sources")), left) << written;
    EXPECT_THAT(checked.text, Not(HasSubstr("nowhere"))) << written;
    EXPECT_GE(checked.check.links_removed, 1) << written;
  }
}

TEST(Citations, P20GenuineAddressesStay) {
  std::vector<Source> list = sources(2);
  list[1].content = "The server answers at https://service.example:8080/v1 by default.";
  for (const std::string text : {"See <https://example.org/1/>.", "See HTTPS://EXAMPLE.org/1#part.",
                                 "See [it](https://example.org/2 \"t\").", "It listens at https://service.example:8080/v1.",
                                 "You asked about https://asked.example/x.", "A note[^n].\n\n[^n]: Words."}) {
    const CheckedReport checked = check_citations(text, list, "what is https://asked.example/x?");
    EXPECT_TRUE(checked.text.starts_with(text)) << checked.text;
    EXPECT_EQ(checked.check.links_removed, 0) << text;
  }
  EXPECT_THAT(check_citations("It is [7](https://example.org/2).", list).text, HasSubstr("It is [2]."));
}

TEST(Citations, P20CodeIsLeftAlone) {
  const std::string code =
      "Use `a[7]` and ``b[`8`]`` [1].\n\n```c\nint x = a[7];  // https://nowhere.example\n```\n\n~~~\n[9]\n~~~\n\nEnd [1].";
  const CheckedReport checked = check_citations(code + " Gone [7].", sources(1));
  EXPECT_TRUE(checked.text.starts_with(code + " Gone.\n\n## Sources")) << checked.text;
  EXPECT_EQ(checked.check.dangling_removed, 1);
  EXPECT_EQ(checked.check.links_removed, 0);
}

TEST(Citations, P20IndentedCodeIsLeftAloneAndPathsAreNoAddresses) {
  const std::string code = "Use it [1]:\n\n    x = a[7];  // https://nowhere.example\n\n    y = a[8];\n\nEnd [1].";
  const CheckedReport checked = check_citations(code + " Gone [7].", sources(1));
  EXPECT_TRUE(checked.text.starts_with(code + " Gone.\n\n## Sources")) << checked.text;
  EXPECT_EQ(checked.check.links_removed, 0);
  const std::string paths = "See src/main.cpp/2, conf.d/a, a.out:7, 3.5/4, // a remark, and/or https: alone and a@b [1].";
  EXPECT_TRUE(check_citations(paths, sources(1)).text.starts_with(paths)) << check_citations(paths, sources(1)).text;
}

TEST(Citations, P20WordsOfALinkThatStaysAreChecked) {
  const std::pair<std::string, std::string> links[] = {
      {"A [![picture](https://nowhere.example/a.png)](guide.md) [1].", "A [1]."},
      {"A [word, ![picture](https://nowhere.example/a.png)](guide.md) [1].", "A [word,](guide.md) [1]."},
      {"A [https://nowhere.example/a](https://example.org/1) [1].", "A [1]."},
      {"A [example.org/1](https://example.org/1), [](guide.md) [1].",
       "A [example.org/1](https://example.org/1), [](guide.md) [1]."},
      {"A [`code` of [it]](guide.md) [1].", "A [`code` of [it]](guide.md) [1]."},
  };
  for (const auto& [written, left] : links) {
    const CheckedReport checked = check_citations(written, sources(1));
    EXPECT_EQ(checked.text.substr(0, checked.text.find("\n\n## Sources")), left) << written;
  }
}

TEST(Citations, P20BackticksThatCloseNothingAreText) {
  // Three backticks without three that close them: the two in front of the end are no span either.
  const CheckedReport checked = check_citations("Text ```a [7]`` and \\`b [8]` [1].", sources(1));
  EXPECT_EQ(checked.text.substr(0, checked.text.find("\n\n## Sources")), "Text ```a`` and \\`b` [1].");
  EXPECT_EQ(checked.check.dangling_removed, 2);
}

// Rows and nests that took the square of their length when every mark looked for its end anew.
TEST(Citations, P20RowsOfMarksTakeLinearTime) {
  const auto seconds = [](const std::string& text) {
    const std::clock_t begin = std::clock();
    EXPECT_TRUE(check_citations(text, sources(1)).text.ends_with('\n'));
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  const auto row = [](std::string_view piece, std::size_t size) {
    std::string text;
    while (text.size() < size) text += piece;
    return text;
  };
  const auto growing = [](char mark, std::size_t size) {
    std::string text;
    for (std::size_t length = 1; text.size() < size; ++length) text += std::string(length, mark) + ' ';
    return text;
  };
  const auto expect_linear = [&](const std::string& what, const auto& make) {
    constexpr std::size_t kSize = 12'500;
    const double one = seconds(make(kSize)), four = seconds(make(4 * kSize));
    EXPECT_LT(four, 9 * one + 0.05) << what;  // a square would be 16 times as much
  };
  for (const std::string_view piece :
       {"[",  "[x](",  "![",        "<a ",       "< ",     "(",       ")",  "`",           "` ", "*",   "!",    "|",   "1",
        "1.", "http:", "http://x ", "http://[<", "//x.y ", "a.com/ ", "](", "](http://x)", "[^", "[x]", "[x][", "\\`", "[`](<"}) {
    expect_linear(fmt::format("row of {}", piece), [&](std::size_t size) { return row(piece, size); });
    expect_linear(fmt::format("row of {} behind an address", piece),
                  [&](std::size_t size) { return "http://x" + row(piece, size); });
    expect_linear(fmt::format("row of {} in brackets", piece),
                  [&](std::size_t size) { return row(piece, size) + "](https://nowhere.example/x)"; });
  }
  expect_linear("longer and longer backticks", [&](std::size_t size) { return growing('`', size); });
  expect_linear("nested links", [&](std::size_t size) { return row("[", size / 16) + row("](http://x.y/a)", size); });
  expect_linear("nested links that stay", [&](std::size_t size) { return row("[a ", size / 8) + row("](b.md)", size); });
}

TEST(Citations, SectionsAreItsHeadingsOutsideOfCode) {
  const auto sections = sections_of("# A\n\n```\n# no\n```\n\n## B ##\n");
  ASSERT_EQ(sections.size(), 2U);
  EXPECT_EQ(sections[0].title, "A");
  EXPECT_EQ(sections[1].title, "B");
  EXPECT_EQ(sections[1].level, 2);
}

TEST(SameSource, S10_CanonicalUris) {
  EXPECT_EQ(canonical_uri("HTTP://Example.ORG:80/a/b/?b=1&utm_medium=x&a=2#top"), "http://example.org/a/b?b=1&a=2");
  EXPECT_EQ(canonical_uri("https://example.org/"), "https://example.org");
  EXPECT_EQ(canonical_uri("https://example.org?gclid=1"), "https://example.org");
  EXPECT_EQ(canonical_uri("corpus://notes/A.md#L1-L9"), "corpus://notes/A.md#L1-L9") << "there the fragment is the place";
  EXPECT_EQ(canonical_uri(""), "");
}

TEST(SameSource, S10_TitlesOfMoreThanTwentyCharactersTell) {
  EXPECT_EQ(comparable_title("Twenty characters ok"), "");
  EXPECT_EQ(comparable_title("  Twenty-one   characters!! "), "") << "twenty without the punctuation";
  EXPECT_EQ(comparable_title("Twenty-one characters, yes"), "twentyone characters yes");
}

}  // namespace
}  // namespace holdfast::research
