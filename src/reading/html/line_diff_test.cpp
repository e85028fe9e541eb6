#include "reading/html/line_diff.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace holdfast::reading {
namespace {

std::string text_of(const std::vector<DiffLine>& lines) {
  std::string out;
  for (const DiffLine& line : lines) (out += line.sign).append(line.text) += '\n';
  return out;
}

TEST(LineDiff, ShowsWhatChanged) {
  EXPECT_EQ(text_of(diff_lines("a\nb\nc\n", "a\nx\nc\n")), " a\n-b\n+x\n c\n");
  EXPECT_EQ(text_of(diff_lines("", "a\n")), "+a\n");
  EXPECT_EQ(text_of(diff_lines("a\nb\nc\nd", "b\nd\ne")), "-a\n b\n-c\n d\n+e\n");
  EXPECT_TRUE(diff_lines("", "").empty());
}

TEST(LineDiff, LargeChangesAreNotCompared) {
  std::string before, after;
  for (int i = 0; i < 3000; ++i) {
    before += "b" + std::to_string(i) + "\n";
    after += "a" + std::to_string(i) + "\n";
  }
  const auto lines = diff_lines(before, after);
  EXPECT_EQ(lines.size(), 6000u);
  EXPECT_EQ(lines.front().sign, '-');
  EXPECT_EQ(lines.back().sign, '+');
}

TEST(LineDiff, APatchByItsSigns) {
  EXPECT_EQ(text_of(patch_lines("@@ -1 +1 @@\n-a\n+b\n c\n")), "@@@ -1 +1 @@\n-a\n+b\n c\n");
}

RC_GTEST_PROP(LineDiff, BothSidesAreThere, ()) {
  const auto lines = rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>("a", "b", "c", ""));
  std::string before, after, left, right;
  for (const auto& line : *lines) before += line + "\n";
  for (const auto& line : *lines) after += line + "\n";
  for (const DiffLine& line : diff_lines(before, after)) {
    if (line.sign != '+') left.append(line.text) += '\n';
    if (line.sign != '-') right.append(line.text) += '\n';
  }
  RC_ASSERT(left == before);
  RC_ASSERT(right == after);
}

}  // namespace
}  // namespace holdfast::reading
