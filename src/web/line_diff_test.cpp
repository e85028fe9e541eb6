#include "web/line_diff.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <rapidcheck.h>

#include <string>

namespace holdfast::web {
namespace {

// "=a -b +c ~d/e": the rows as one text.
std::string told(const std::vector<std::string_view>& left, const std::vector<std::string_view>& right) {
  std::string text;
  for (const DiffRow& row : compare_lines(left, right)) {
    if (!text.empty()) text += ' ';
    if (row.left == DiffRow::kNone)
      text += "+" + std::string(right[row.right]);
    else if (row.right == DiffRow::kNone)
      text += "-" + std::string(left[row.left]);
    else if (row.changed)
      text += "~" + std::string(left[row.left]) + "/" + std::string(right[row.right]);
    else
      text += "=" + std::string(left[row.left]);
  }
  return text;
}

TEST(LineDiff, SplitsLines) {
  EXPECT_EQ(split_lines(""), std::vector<std::string_view>());
  EXPECT_EQ(split_lines("a\r\n\nb"), (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_EQ(split_lines("a\n"), (std::vector<std::string_view>{"a"}));
}

TEST(LineDiff, PairsWhatTookEachOthersPlace) {
  EXPECT_EQ(told({"a", "b", "c"}, {"a", "x", "c"}), "=a ~b/x =c");
  EXPECT_EQ(told({"a", "c"}, {"a", "b", "c"}), "=a +b =c");
  EXPECT_EQ(told({"a", "b", "c"}, {"c"}), "-a -b =c");
  EXPECT_EQ(told({}, {"a"}), "+a");
  EXPECT_EQ(told({"a", "b", "c", "d"}, {"b", "x", "d", "e"}), "-a =b ~c/x =d +e");
}

TEST(LineDiff, GivesUpOnTextsThatHaveNothingInCommon) {
  std::vector<std::string> texts;
  for (int i = 0; i < 20'000; ++i) texts.push_back(std::to_string(i));
  const std::vector<std::string_view> left(texts.begin(), texts.begin() + 10'000), right(texts.begin() + 10'000, texts.end());
  EXPECT_EQ(compare_lines(left, right).size(), 10'000u);
}

RC_GTEST_PROP(LineDiff, HasEveryLineOnceAndInOrder, ()) {
  const auto word = rc::gen::element<std::string>("a", "b", "c", "d");
  const auto one = *rc::gen::container<std::vector<std::string>>(word), two = *rc::gen::container<std::vector<std::string>>(word);
  const std::vector<std::string_view> left(one.begin(), one.end()), right(two.begin(), two.end());
  std::size_t l = 0, r = 0;
  for (const DiffRow& row : compare_lines(left, right)) {
    if (row.left != DiffRow::kNone) RC_ASSERT(row.left == l++);
    if (row.right != DiffRow::kNone) RC_ASSERT(row.right == r++);
    RC_ASSERT(row.left != DiffRow::kNone || row.right != DiffRow::kNone);
    if (!row.changed) RC_ASSERT(left[row.left] == right[row.right]);
  }
  RC_ASSERT(l == left.size());
  RC_ASSERT(r == right.size());
}

}  // namespace
}  // namespace holdfast::web
