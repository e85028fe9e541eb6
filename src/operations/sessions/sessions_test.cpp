// Operations on sessions of the store, over a real store: what they return, what they refuse, and who asks whom.

#include "base/files/test_folder.h"
#include "operations/sessions/removing.h"
#include "operations/table.h"
#include "operations/test_context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::operations {
namespace {

using testing::ElementsAre;

struct OperationsOfStore : testing::Test {
  Result<Facts> run(std::string_view name, JsonObject values) {
    const Operation& operation = *find_operation(name);
    const Given given(std::move(values));
    HF_CHECK(check(operation, given));
    return operation.run(context, given);
  }
  std::vector<std::string> listed(JsonObject values = {}) {
    std::vector<std::string> ids;
    for (const Json& each : *find_array(run("sessions list", std::move(values)).value(), "sessions"))
      ids.push_back(text_in(each.as_object(), "id"));
    return ids;
  }

  TestFolder folder;
  TestContext context{folder.path()};
};

TEST_F(OperationsOfStore, EveryRowCanBeRunAndIsThereOnce) {
  std::set<std::string_view> names;
  for (const Operation& each : all()) {
    EXPECT_TRUE(each.run) << each.name;
    EXPECT_FALSE(each.summary.empty()) << each.name;
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
    EXPECT_TRUE(each.scope != Scope::write || each.effect != Effect::reads) << each.name;
    EXPECT_TRUE(each.effect != Effect::removes || each.scope != Scope::read) << each.name;
  }
}

TEST_F(OperationsOfStore, TheKindsOwnOperationStandsBeforeTheGeneralOne) {
  EXPECT_EQ(find_action("get", "reasoning")->name, "reasoning get");
  EXPECT_EQ(find_action("get", "document")->name, "sessions get");
  EXPECT_EQ(find_action("export", "thread")->name, "thread export");
  EXPECT_EQ(find_action("export", "document"), nullptr);
}

TEST_F(OperationsOfStore, ListsAndShowsWhatBelongsToWhoAsks) {
  const std::string id = context.create("thread");
  EXPECT_THAT(listed(), ElementsAre(id));
  EXPECT_EQ(text_in(*find_object(run("sessions get", {{"session", id.substr(0, 13)}}).value(), "session"), "id"), id);
  context.become("ann");
  EXPECT_THAT(listed(), ElementsAre());
  EXPECT_EQ(run("sessions get", {{"session", id}}).error().kind, ErrorKind::not_found);
  EXPECT_EQ(run("sessions delete", {{"session", id}}).error().kind, ErrorKind::not_found);
}

TEST_F(OperationsOfStore, NothingIsTakenAwayWhereNobodyCanBeAsked) {
  const std::string id = context.create("thread");
  const auto refused = run("sessions delete", {{"session", id}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "not offered here: asking a person before something is taken away");
  EXPECT_THAT(listed(), ElementsAre(id));
}

TEST_F(OperationsOfStore, WhatIsMissingIsNamedForEverySurface) {
  EXPECT_EQ(run("sessions delete", {}).error().message, "delete needs a {session}");
  EXPECT_EQ(run("sessions search", {}).error().message, "{query} is required");
  EXPECT_EQ(run("sessions notices-ack", {}).error().message, "{notice_ids} is required");
  EXPECT_EQ(run("sessions purge", {{"sessions", JsonArray{context.create("thread"), context.create("thread")}}}).error().message,
            "purge takes one session");
}

TEST_F(OperationsOfStore, OperationsThatNeedWhatASurfaceLacksAreRefused) {
  EXPECT_EQ(run("chat", {{"prompt", "hello"}}).error().message, "not offered here: threads");
  EXPECT_EQ(run("deep-research start", {{"query", "why?"}}).error().message, "not offered here: research");
  EXPECT_EQ(run("thought", {{"thought", "hm"}}).error().message, "not offered here: a line of reasoning that goes on");
}

TEST(Facts, AFailureThatLeftSomethingBehindIsCarriedInThem) {
  Facts facts = with_failure({{"thread_id", "t"}}, make_error(ErrorKind::timeout, "no answer", "again", "SLOW"));
  const auto failure = take_failure(facts);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, ErrorKind::timeout);
  EXPECT_EQ(failure->code, "SLOW");
  EXPECT_EQ(facts, (Facts{{"thread_id", "t"}}));
  EXPECT_FALSE(take_failure(facts));
}

}  // namespace
}  // namespace holdfast::operations
