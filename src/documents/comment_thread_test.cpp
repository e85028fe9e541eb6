// Comments behind a change (document-review §6.5).

#include "documents/comment_thread.h"

#include <gmock/gmock.h>

namespace holdfast::documents {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(CommentThread, LineBreaksAndBackslashesAreAsTyped) {
  EXPECT_EQ(unescape_note(R"(one\ntwo)"), "one\ntwo");
  EXPECT_EQ(unescape_note(R"(C:\\new)"), R"(C:\new)");
  EXPECT_EQ(unescape_note(R"(a\tb\)"), R"(a\tb\)");
}

TEST(CommentThread, IsWhatStandsDirectlyBehindOldestFirst) {
  const std::string raw =
      R"(A {++{"id":"c_1","author":"AI","timestamp":1}@@x++})"
      R"({>>{"author":"Bo","timestamp":30}@@second\nline<<}{>>{"author":"Ada","timestamp":20}@@first<<}{>>unsigned<<})"
      R"( {>>apart<<} {--{"id":"c_2","author":"AI","timestamp":2}@@y--}{>>other<<})";
  EXPECT_THAT(comments_behind(raw, "c_1"), ElementsAre("unsigned", "Ada: first", "Bo: second\nline"));
  EXPECT_THAT(comments_behind(raw, "c_2"), ElementsAre("other"));
  EXPECT_THAT(comments_behind(raw, "c_3"), IsEmpty());
}

}  // namespace
}  // namespace holdfast::documents
