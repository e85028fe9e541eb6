#include "cli/program/terminal.h"

#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

Table sample() {
  Table table({{"ID"}, {"N", true}, {"TITLE", false, true}});
  table.add({"a", "1", "short"});
  table.add({"bcd", "200", "a much longer title\nthat goes on"});
  return table;
}

TEST(Terminal, ColumnsAreAsWideAsTheyMustBe) {
  EXPECT_EQ(sample().text({}),
            "ID     N  TITLE\n"
            "a      1  short\n"
            "bcd  200  a much longer title that goes on\n");
}

TEST(Terminal, OneColumnGivesWay) {
  Terminal narrow;
  narrow.width = 26;
  EXPECT_EQ(sample().text(narrow),
            "ID     N  TITLE\n"
            "a      1  short\n"
            "bcd  200  a much longer…\n");
}

TEST(Terminal, ColoursOnlyWhenAsked) {
  Terminal colourful;
  EXPECT_EQ(colourful.bold("x"), "x");
  colourful.colours = true;
  EXPECT_EQ(colourful.bold("x"), "\x1b[1mx\x1b[0m");
}

TEST(Terminal, StrangersCannotSteerTheTerminal) {
  EXPECT_EQ(harmless("a\x1b]0;owned\x07", true), "a\xEF\xBF\xBD]0;owned\xEF\xBF\xBD");
  EXPECT_EQ(harmless("a\nb\tc", true), "a b c");
  EXPECT_EQ(harmless("a\nb", false), "a\nb");
  EXPECT_EQ(harmless("a\xff", true), "a\xEF\xBF\xBD");
}

}  // namespace
}  // namespace holdfast::cli
