#include "base/files/test_folder.h"
#include "operations/sessions/notes.h"
#include "operations/table.h"
#include "operations/test_context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::operations {
namespace {

using testing::HasSubstr;

struct NoteTest : testing::Test {
  Result<Facts> note(JsonObject values) {
    const Operation& operation = *find_operation("note");
    const Given given(std::move(values));
    HF_CHECK(check(operation, given));
    return operation.run(context, given);
  }
  std::vector<std::string> texts(const std::string& id) {
    const Facts facts = note({{"session", id}}).value();
    std::vector<std::string> all;
    for (const Json& each : *find_array(facts, "notes")) all.push_back(text_in(each.get_object(), "text"));
    return all;
  }

  TestFolder folder;
  TestContext context{folder.path()};
};

TEST_F(NoteTest, StaysWithTheSessionInTheOrderItWasWritten) {
  const std::string id = context.create("reasoning");
  ASSERT_TRUE(note({{"session", id}, {"text", " ask Ada about the retries "}}));
  ASSERT_TRUE(note({{"session", id.substr(0, 13)}, {"text", "done"}}));
  EXPECT_THAT(texts(id), testing::ElementsAre("ask Ada about the retries", "done"));
}

TEST_F(NoteTest, TypedAgainIsThereOnce) {
  const std::string id = context.create("thread");
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(note({{"session", id}, {"text", "ask Ada"}}));
  EXPECT_THAT(texts(id), testing::ElementsAre("ask Ada"));
}

TEST_F(NoteTest, CanBeTakenAwayAndLeavesNothing) {
  const std::string id = context.create("thread");
  const Facts made = note({{"session", id}, {"text", "a secret walrus"}}).value();
  const std::string own = text_in(find_array(made, "notes")->front().get_object(), "id");
  EXPECT_EQ(find_int(note({{"session", id}, {"remove", own}}).value(), "count"), 0);
  const auto again = note({{"session", id}, {"remove", own}});
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, ErrorKind::not_found);
  EXPECT_FALSE(context.store_holds("a secret walrus"));
}

TEST_F(NoteTest, GoesWhenTheSessionIsPurged) {
  const std::string id = context.create("thread");
  ASSERT_TRUE(note({{"session", id}, {"text", "a secret walrus"}}));
  context.purge(id);
  EXPECT_FALSE(context.store_holds("a secret walrus"));
}

TEST_F(NoteTest, RefusesWhatIsNoRemark) {
  const std::string id = context.create("thread");
  EXPECT_FALSE(note({{"session", id}, {"text", "  "}}));
  EXPECT_FALSE(note({{"session", id}, {"text", std::string(4001, 'x')}}));
  EXPECT_FALSE(note({{"session", "0000"}, {"text", "x"}}));
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(note({{"session", id}, {"text", std::to_string(i)}}));
  const auto more = note({{"session", id}, {"text", "one more"}});
  ASSERT_FALSE(more);
  EXPECT_THAT(more.error().message, HasSubstr("100 notes"));
}

TEST_F(NoteTest, NobodyElseSeesOrWritesThem) {
  const std::string id = context.create("thread");
  ASSERT_TRUE(note({{"session", id}, {"text", "mine"}}));
  context.become("ann");
  const auto other = note({{"session", id}});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind, ErrorKind::not_found);
}

}  // namespace
}  // namespace holdfast::operations
