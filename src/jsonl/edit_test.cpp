#include "jsonl/edit.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <rapidcheck.h>

namespace holdfast::jsonl {
namespace {

std::string edited(std::string_view text, const std::vector<Edit>& edits) {
  std::string out;
  EXPECT_TRUE(append_edited(out, text, edits));
  return out;
}

TEST(Edits, ReplaceInsertAndRemove) {
  EXPECT_EQ(edited("0123456789", {{0, 0, "<"}, {2, 3, "x"}, {5, 1, ""}, {10, 0, "a"}, {10, 0, "b"}}), "<01x6789ab");
  EXPECT_EQ(edited("", {{0, 0, "x"}}), "x");
  EXPECT_EQ(edited("same", {}), "same");
}

TEST(Edits, RefuseWhatDoesNotFit) {
  for (const std::vector<Edit>& edits : {std::vector<Edit>{{3, 1, ""}, {2, 1, ""}},
                                         {{0, 3, ""}, {2, 1, ""}},
                                         {{5, 0, ""}},
                                         {{1, 4, ""}},
                                         {{1, static_cast<std::size_t>(-1), ""}}}) {
    std::string out = "kept";
    const auto done = append_edited(out, "0123", edits);
    ASSERT_FALSE(done.has_value());
    EXPECT_EQ(done.error().kind, ErrorKind::invalid);
    EXPECT_EQ(out, "kept");
    EXPECT_FALSE(inverse_of("0123", edits).has_value());
  }
}

RC_GTEST_PROP(Edits, TheInverseGivesTheBytesBack, (const std::string& text)) {
  std::vector<Edit> edits;
  for (std::size_t at = 0;;) {
    const std::size_t left = text.size() - at;
    Edit edit{at + *rc::gen::inRange<std::size_t>(0, left + 1), 0, *rc::gen::arbitrary<std::string>()};
    edit.length = *rc::gen::inRange<std::size_t>(0, text.size() - edit.offset + 1);
    at = edit.offset + edit.length;
    edits.push_back(edit);
    if (*rc::gen::inRange(0, 4) == 0) break;
  }
  const std::string changed = edited(text, edits);
  const auto inverse = inverse_of(text, edits);
  RC_ASSERT(inverse.has_value());
  RC_ASSERT(edited(changed, *inverse) == text);
  RC_ASSERT(inverse_of(changed, *inverse).value() == edits);
}

}  // namespace
}  // namespace holdfast::jsonl
