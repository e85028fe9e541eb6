#include "base/files/test_folder.h"
#include "kinds/transcripts/testing/test_home.h"
#include "kinds/transcripts/verbs/keeper.h"
#include "operations/table.h"
#include "operations/test_context.h"
#include "store/blobs/open.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::operations {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using transcripts::TestHome;

// Of the user whose transcripts there are.
class OwnersContext final : public TestContext {
 public:
  OwnersContext(const std::string& folder, const TestHome& home)
      : TestContext(folder),
        blobs_(store::open_blobs(home.outside() + "/guard").value()),
        keeper_(transcripts::Homes::open(home.folder(), home.outside() + "/codex").value(), [&] {
          transcripts::KeeperOptions options;
          options.data_folder = home.outside() + "/data";
          options.clock = std::make_shared<ManualClock>(TestHome::kNow);
          options.store = [this](bool to_read) { return store(to_read); };
          options.guard = [this]() -> Result<session::Blobs*> { return blobs_.get(); };
          return options;
        }()) {}

  Result<const transcripts::Keeper*> keeper() override { return &keeper_; }
  Result<void> print(std::string_view bytes) override {
    printed += bytes;
    return {};
  }

  std::string printed;

 private:
  std::unique_ptr<session::Blobs> blobs_;
  transcripts::Keeper keeper_;
};

struct TellingTest : testing::Test {
  static Result<Facts> run(Context& context, std::string_view name, JsonObject values = {}) {
    const Operation& operation = *find_operation(name);
    const Given given(std::move(values));
    HF_CHECK(check(operation, given));
    return operation.run(context, given);
  }
  static ErrorKind refusal(Context& context, std::string_view name, JsonObject values) {
    const auto done = run(context, name, std::move(values));
    return done ? ErrorKind::internal : done.error().kind;
  }
  static std::vector<std::string> ids(const Facts& facts) {
    std::vector<std::string> all;
    for (const Json& each : *find_array(facts, "sessions")) all.push_back(text_in(each.get_object(), "session_id"));
    return all;
  }

  TestHome home = TestHome::of_client();
  TestFolder folder;
  OwnersContext owner{folder.path(), home};
};

// An id means the same to what looks into the guard as to everything else.
TEST_F(TellingTest, KeptSessionsAreFoundAsAllOthersAre) {
  const std::string id = ids(run(owner, "list", {{"all", true}, {"limit", 1}}).value()).front(), start = id.substr(0, 7);
  ASSERT_TRUE(run(owner, "guard"));
  EXPECT_EQ(text_in(run(owner, "info", {{"session", start}}).value(), "session_id"), id);
  EXPECT_EQ(text_in(run(owner, "guard show", {{"session", start}}).value(), "session_id"), id);
  const Facts printed = run(owner, "guard cat", {{"session", start}}).value();
  EXPECT_EQ(static_cast<std::int64_t>(owner.printed.size()), find_int(printed, "size_bytes"));
  const std::string of_store = owner.create("thread", start + "-of-the-store");
  for (const char* name : {"info", "guard show", "guard cat", "guard forget"})
    EXPECT_EQ(refusal(owner, name, {{"session", start}}), ErrorKind::ambiguous) << name;
  EXPECT_EQ(refusal(owner, "guard show", {{"session", of_store}}), ErrorKind::invalid);
  EXPECT_EQ(refusal(owner, "guard cat", {{"session", "9999"}}), ErrorKind::not_found);
}

TEST_F(TellingTest, WhatIsKeptIsListedUntilItIsForgotten) {
  ASSERT_TRUE(run(owner, "guard"));
  const Facts all = run(owner, "guard list").value();
  ASSERT_FALSE(ids(all).empty());
  EXPECT_TRUE(ids(run(owner, "guard list", {{"gone", true}}).value()).empty());
  const std::string id = ids(all).front();
  EXPECT_THAT(*find_array(run(owner, "guard forget", {{"session", JsonArray{id}}}).value(), "forgotten"), ElementsAre(Json(id)));
  EXPECT_THAT(ids(run(owner, "guard list").value()), testing::Not(testing::Contains(id)));
  EXPECT_EQ(find_bool(run(owner, "guard verify").value(), "ok"), true);
}

TEST_F(TellingTest, ThereIsNothingOfSomebodyElse) {
  const std::string id = ids(run(owner, "list", {{"all", true}, {"limit", 1}}).value()).front();
  TestFolder elsewhere;
  TestContext stranger(elsewhere.path());
  for (const char* name : {"info", "lineage", "detail", "clone", "delete"})
    EXPECT_EQ(refusal(stranger, name, {{"session", id}}), ErrorKind::not_found) << name;
  EXPECT_TRUE(ids(run(stranger, "list", {{"all", true}}).value()).empty());
  EXPECT_EQ(refusal(stranger, "doctor", {}), ErrorKind::unavailable);
  const std::string own = stranger.create("thread");
  const auto told = run(stranger, "info", {{"session", own}});
  ASSERT_FALSE(told);
  EXPECT_THAT(told.error().message, HasSubstr("is a thread session, not a transcript"));
}

TEST_F(TellingTest, SessionsAreVerifiedExaminedAndExported) {
  const Facts list = run(owner, "list", {{"all", true}}).value();
  const std::string id = ids(list).front();
  EXPECT_EQ(find_bool(run(owner, "verify", {{"what", id}}).value(), "ok"), true);
  EXPECT_EQ(find_int(run(owner, "doctor").value(), "sessions"), static_cast<std::int64_t>(ids(list).size()));
  const Facts one = run(owner, "export", {{"session", id}, {"output", "one.md"}}).value();
  EXPECT_EQ(text_in(one, "format"), "md");
  EXPECT_TRUE(std::filesystem::exists(text_in(one, "output")));
  ASSERT_TRUE(run(owner, "export", {{"session", id}, {"output", "-"}}));
  EXPECT_THAT(owner.printed, HasSubstr("<html"));
  const Facts all = run(owner, "export", {{"all", true}, {"output", "all"}}).value();
  EXPECT_EQ(find_int(all, "sessions"), find_int(list, "total"));
  EXPECT_EQ(refusal(owner, "export", {{"all", true}, {"output", "all"}}), ErrorKind::conflict);
}

}  // namespace
}  // namespace holdfast::operations
