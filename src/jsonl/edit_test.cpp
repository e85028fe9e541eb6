#include "jsonl/splice.h"

#include <gtest/gtest.h>

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
  }
}

}  // namespace
}  // namespace holdfast::jsonl
