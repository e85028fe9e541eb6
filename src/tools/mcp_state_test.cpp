#include "tools/mcp_state.h"

#include "base/files/test_folder.h"
#include "kinds/reasoning/connections.h"
#include "store/open.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>

namespace holdfast::tools {
namespace {

constexpr Millis kStateStart = 1'800'000'000'000;

struct McpStateTest : testing::Test {
  std::unique_ptr<session::Store> open() {
    store::OpenOptions options;
    options.clock = clock;
    auto store = store::open_store("sqlite:" + (folder / "store.db"), options);
    EXPECT_TRUE(store) << store.error().message;
    return store ? std::move(*store) : nullptr;
  }

  TestFolder folder;
  std::shared_ptr<ManualClock> clock = std::make_shared<ManualClock>(kStateStart);
};

TEST_F(McpStateTest, AnotherInstanceOnTheSameFileSeesWhatOneWrote) {
  auto first_store = open(), second_store = open();
  McpState first(*first_store), second(*second_store);
  ASSERT_TRUE(first.put("mcp.session", "s1", JsonObject{{"version", "2025-06-18"}}, kStateStart + 1000));
  auto found = second.get("mcp.session", "s1");
  ASSERT_TRUE(found && *found);
  EXPECT_EQ(to_json(**found), R"({"version":"2025-06-18"})");
  ASSERT_TRUE(second.erase("mcp.session", "s1"));
  auto erased = first.get("mcp.session", "s1");
  ASSERT_TRUE(erased);
  EXPECT_FALSE(*erased);
}

TEST_F(McpStateTest, P6AnEndedSessionLeavesNothingOfItsConnection) {
  auto store = open();
  McpState state(*store);
  ASSERT_TRUE(state.put("mcp.session", "s1", JsonObject{{"version", "2025-06-18"}}, kStateStart + 1000));
  reasoning::Connection connection;
  connection.id = "s1";
  connection.bound_root = "file:///home/ann/secret-project";
  connection.active_session = "one";
  ASSERT_TRUE(store->write([&](session::Transaction& transaction) -> Result<void> {
    HF_CHECK(reasoning::save_connection(transaction, connection));
    return reasoning::hold(transaction, "one", {.connection = "s1", .transport = "http", .owner = "o"});
  }));
  ASSERT_TRUE(state.erase("mcp.session", "s1"));
  EXPECT_FALSE(reasoning::load_connection(*store, "s1")->has_value());
  EXPECT_THAT(*reasoning::holders_of(*store, "one"), testing::IsEmpty());
}

TEST_F(McpStateTest, InstancesShareTheSecretAndNotTheName) {
  auto first_store = open(), second_store = open();
  McpState first(*first_store), second(*second_store);
  EXPECT_EQ(first.secret().value(), second.secret().value());
  EXPECT_EQ(first.secret()->size(), 32U);
  EXPECT_NE(first.owner(), second.owner());
  EXPECT_TRUE(first.is_alive(second.owner()));
}

TEST_F(McpStateTest, ValuesAreGoneAtTheirExpiry) {
  auto store = open();
  McpState state(*store);
  ASSERT_TRUE(state.put("mcp.task", "t", 1, kStateStart + 1000));
  clock->set(kStateStart + 1000);
  auto found = state.get("mcp.task", "t");
  ASSERT_TRUE(found);
  EXPECT_FALSE(*found);
}

TEST_F(McpStateTest, ListsAPrefixInOrderAfterAKey) {
  auto store = open();
  McpState state(*store);
  for (const char* key : {"s/2", "s/1", "s/3", "t/1"}) ASSERT_TRUE(state.put("mcp.event", key, key, kStateStart + 1000));
  auto keys = [](const Result<std::vector<mcp::StoredState>>& listed) {
    std::vector<std::string> out;
    for (const mcp::StoredState& each : listed.value()) out.push_back(each.key);
    return out;
  };
  EXPECT_THAT(keys(state.list("mcp.event", "s/", "", 10)), testing::ElementsAre("s/1", "s/2", "s/3"));
  EXPECT_THAT(keys(state.list("mcp.event", "s/", "s/1", 1)), testing::ElementsAre("s/2"));
  EXPECT_THAT(keys(state.list("mcp.other", "", "", 10)), testing::IsEmpty());
}

TEST_F(McpStateTest, ADeadProcessIsKnownAsSuchAndNonsenseIsNotAlive) {
  auto store = open();
  McpState state(*store);
  auto owner = session::make_lease_owner();
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  JsonObject dead{{"host", owner.host}, {"pid", child}, {"started", owner.started}, {"token", "x"}};
  EXPECT_FALSE(state.is_alive(to_json(dead)));
  dead["host"] = "another machine";
  EXPECT_FALSE(state.is_alive(to_json(dead))) << "nobody there has been heard of (design 8.16)";
  ASSERT_TRUE(state.put(mcp::kNodeArea, "x", JsonObject{{"owner", to_json(dead)}}, kStateStart + 1000));
  EXPECT_TRUE(state.is_alive(to_json(dead)));
  EXPECT_FALSE(state.is_alive("memory"));
  EXPECT_FALSE(state.is_alive("{}"));
}

}  // namespace
}  // namespace holdfast::tools
