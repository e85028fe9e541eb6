// Several windows on one project (A2): whose session a bare thought goes to, and what the answer says about it.

#include "kinds/reasoning/append.h"
#include "kinds/reasoning/test_ledger.h"

namespace holdfast::reasoning {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

struct AttachTest : LedgerTest {};

// Two windows on one project, each with a session of its own, and both reconnect.
TEST_F(AttachTest, P11ASessionBegunBecauseAnotherWasInUseDoesNotWinAfterwards) {
  const std::string first = append(connect("w1"), "of the first window").record.id;
  attached.insert("w1");
  const std::string second = append(connect("w2"), "of the second window").record.id;
  ASSERT_NE(first, second);
  attached.clear();
  clock->advance(60'000);
  const AppendOutcome lost = append(connect("w1, again"), "where was I?");
  EXPECT_EQ(lost.attached, Attached::fresh);
  ASSERT_THAT(lost.notices, SizeIs(1));
  EXPECT_THAT(lost.notices.front(), AllOf(HasSubstr(first), HasSubstr(second), HasSubstr("give a sessionId")));
  attached.insert("w1, again");
  const AppendOutcome other = append(connect("w2, again"), "and I?");
  EXPECT_EQ(other.attached, Attached::fresh);
  EXPECT_THAT(all(first), SizeIs(1));
  EXPECT_THAT(all(second), SizeIs(1));

  // Who is lost once more goes where the lost go, to the older of the two, and is told.
  attached.clear();
  clock->advance(60'000);
  const AppendOutcome again = append(connect("w2, a third time"), "and now?");
  EXPECT_EQ(again.attached, Attached::recovered);
  EXPECT_EQ(again.record.id, lost.record.id);
  ASSERT_THAT(again.notices, SizeIs(1));
  EXPECT_THAT(again.notices.front(), AllOf(HasSubstr("4 open sessions"), HasSubstr(lost.record.id), HasSubstr(first),
                                           HasSubstr(second), HasSubstr(other.record.id), HasSubstr("give a sessionId")));
}

TEST_F(AttachTest, P11TheOnlyFreeOneOfSeveralIsTakenAndSaid) {
  const std::string first = append(connect("w1"), "of the first window").record.id;
  attached.insert("w1");
  const std::string second = append(connect("w2"), "of the second window").record.id;
  clock->advance(60'000);
  const AppendOutcome made = append(connect("w2, again"), "on with it");
  EXPECT_EQ(made.record.id, second);
  ASSERT_THAT(made.notices, SizeIs(1));
  EXPECT_THAT(made.notices.front(), AllOf(HasSubstr(second), HasSubstr(first), HasSubstr("in use by another connection")));
  EXPECT_THAT(append(connect("w2, again"), "and on").notices, IsEmpty()) << "once is enough";
}

TEST_F(AttachTest, P11TheOnlyOpenSessionIsTakenWithoutAWord) {
  append(connect("c1"), "one");
  EXPECT_THAT(append(connect("c2"), "two").notices, IsEmpty());
}

}  // namespace
}  // namespace holdfast::reasoning
