#include "kinds/documents/text/comment_note.h"

#include <gtest/gtest.h>

namespace holdfast::documents {
namespace {

TEST(CommentNote, LineBreaksAndBackslashesAreAsTyped) {
  EXPECT_EQ(unescape_note(R"(one\ntwo)"), "one\ntwo");
  EXPECT_EQ(unescape_note(R"(C:\\new)"), R"(C:\new)");
  EXPECT_EQ(unescape_note(R"(a\tb\)"), R"(a\tb\)");
  EXPECT_EQ(unescape_note(""), "");
}

}  // namespace
}  // namespace holdfast::documents
