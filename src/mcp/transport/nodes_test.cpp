// Two servers over one store, as two processes or two machines are: consecutive requests of a client reach either.

#include "mcp/server/test_server.h"
#include "mcp/wire/limits.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <thread>

namespace holdfast::mcp {
namespace {

constexpr std::string_view kStreamsAtArea = "mcp.session_stream";

class NodeStore;

// What is the same for all of them.
struct SharedNodes {
  SharedState state;
  std::mutex mutex;
  std::set<NodeStore*> nodes;   // guarded by mutex
  std::set<std::string> alive;  // owners; guarded by mutex
};

// The store as one process has it.
class NodeStore final : public StateStore {
 public:
  NodeStore(SharedNodes& shared, std::string name)
      : shared_(shared), name_(std::move(name)), address_(name_ + std::string(kAddressLength - name_.size(), '-')) {
    const std::lock_guard lock(shared_.mutex);
    shared_.nodes.insert(this);
    shared_.alive.insert(name_);
  }
  ~NodeStore() override {
    const std::lock_guard lock(shared_.mutex);
    shared_.nodes.erase(this);
    shared_.alive.erase(name_);
  }

  Result<std::string> secret() override { return below().secret(); }
  Result<std::optional<Json>> get(std::string_view area, std::string_view key) override { return below().get(area, key); }
  Result<void> put(std::string_view area, std::string_view key, const Json& value, Millis expires_at) override {
    if (area == kStreamsAtArea) {
      waits_ = true;
      slow_.wait(true);
    }
    return below().put(area, key, value, expires_at);
  }
  Result<void> erase(std::string_view area, std::string_view key) override { return below().erase(area, key); }
  Result<std::vector<StoredState>> list(std::string_view area, std::string_view prefix, std::string_view after,
                                        std::size_t limit) override {
    return below().list(area, prefix, after, limit);
  }
  Result<void> change(const Work& work) override {
    bool wake = false;
    auto done = below().change([&](StateTransaction& store) {
      Noting noting(store, wake);
      return work(noting);
    });
    if (!done || !wake) return done;
    const std::lock_guard lock(shared_.mutex);
    for (NodeStore* node : shared_.nodes)
      if (node->woken_) node->woken_();
    return done;
  }
  std::string owner() const override { return name_; }
  bool is_alive(std::string_view owner) const override {
    const std::lock_guard lock(shared_.mutex);
    return shared_.alive.contains(std::string(owner));
  }
  bool is_shared() const override { return true; }
  std::string address() const override { return address_; }
  Result<void> watch(std::function<void()> woken) override {
    const std::lock_guard lock(shared_.mutex);
    woken_ = std::move(woken);
    return {};
  }
  // From here on it takes its time to write where a stream is; until it is told to go on.
  void be_slow() { slow_ = true; }
  bool waits() const { return waits_; }
  void go_on() {
    slow_ = false;
    slow_.notify_all();
  }

 private:
  class Noting final : public StateTransaction {
   public:
    Noting(StateTransaction& below, bool& wake) : below_(below), wake_(wake) {}
    Result<std::optional<Json>> get(std::string_view area, std::string_view key) override { return below_.get(area, key); }
    Result<std::vector<StoredState>> list(std::string_view area, std::string_view prefix, std::string_view after,
                                          std::size_t limit) override {
      return below_.list(area, prefix, after, limit);
    }
    Result<void> put(std::string_view area, std::string_view key, const Json& value, Millis expires_at) override {
      return below_.put(area, key, value, expires_at);
    }
    Result<void> erase(std::string_view area, std::string_view key) override { return below_.erase(area, key); }
    void wake() override { wake_ = true; }

   private:
    StateTransaction& below_;
    bool& wake_;
  };
  StateStore& below() { return shared_.state.store; }

  SharedNodes& shared_;
  const std::string name_, address_;
  std::function<void()> woken_;  // guarded by shared_.mutex
  std::atomic<bool> slow_ = false, waits_ = false;
};

struct Node {
  Node(SharedNodes& shared, std::string name) : store(shared, std::move(name)), server(shared.state, store) {}
  ~Node() {
    server.server.shut_down();
    server.pool.close();
  }
  NodeStore store;
  TestServer server;
};

class NodesTest : public ::testing::Test {
 protected:
  NodesTest() {
    offer(a_->server);
    offer(b_->server);
    // Both can be written to.
    turn_until([&] { return shared_.state.store.list(kNodeArea, "", "", 10)->size() == 2; });
  }

  void offer(TestServer& target) {
    ASSERT_TRUE(target.server.add_tool(simple_tool("ask", [](Call& call) -> ToolReply {
      const Answer* answer =
          call.ask("name", Question::form("Name?", {{"type", "object"},
                                                    {"properties", JsonObject{{"n", JsonObject{{"type", "string"}}}}},
                                                    {"required", JsonArray{"n"}}}));
      if (!answer) return InputRequired{};
      if (answer->failure) return ToolResult::failure(*answer->failure);
      return ToolResult::text(answer->content() ? find_string(*answer->content(), "n").value_or("") : "declined");
    })));
    ASSERT_TRUE(target.server.add_tool(simple_tool("steps", [this](Call& call) -> ToolReply {
      call.progress(1, 2);
      ++running_;
      while (!release_ && call.wait_for(std::chrono::milliseconds(1))) {
      }
      if (call.cancelled()) ++cancelled_;
      return ToolResult::text("done");
    })));
    ASSERT_TRUE(target.server.add_tool(simple_tool("log", [](Call& call) -> ToolReply {
      call.log(Severity::info, "test", Json("said"));
      return ToolResult::text("done");
    })));
    Tool works = simple_tool("works", [this](Call& call) -> ToolReply {
      if (!call.become_task().value_or(false)) return ToolResult::failure("no task");
      while (!release_ && call.wait_for(std::chrono::milliseconds(1))) {
      }
      if (call.cancelled()) ++cancelled_;
      return ToolResult::text("worked");
    });
    works.tasks = Tool::Tasks::optional;
    ASSERT_TRUE(target.server.add_tool(std::move(works)));
    Tool wonders = simple_tool("wonders", [](Call& call) -> ToolReply {
      if (!call.become_task().value_or(false)) return ToolResult::failure("no task");
      const Answer* answer = call.ask("a", Question::form("?", {{"type", "object"}, {"properties", JsonObject{}}}));
      return answer ? ToolReply(ToolResult::text("answered")) : ToolReply(InputRequired{});
    });
    wonders.tasks = Tool::Tasks::optional;
    ASSERT_TRUE(target.server.add_tool(std::move(wonders)));
    target.server.add_resource({{"test://a", "a", {}, "a", "text/plain"}, [](Call&) -> ResourceReply {
                                  return ResourceResult{{text_contents("test://a", "text/plain", "A")}, 0, true};
                                }});
  }

  // Turns both loops.
  template <class Condition>
  void turn_until(Condition condition) {
    auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition() && std::chrono::steady_clock::now() < deadline) {
      for (auto* node : {a_.get(), b_.get()})
        if (node) node->server.loop.run_ready();
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    EXPECT_TRUE(condition()) << "waited in vain";
  }
  std::shared_ptr<FakeExchange> finish(std::shared_ptr<FakeExchange> exchange) {
    turn_until([&] { return exchange->done; });
    return exchange;
  }
  static std::shared_ptr<FakeExchange> call(Node& node, const std::string& session, const std::string& tool,
                                            const std::string& meta = "{}") {
    return node.server.post(
        R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":")" + tool + R"(","_meta":)" + meta + "}}", session);
  }
  static std::shared_ptr<FakeExchange> listen(Node& node, const std::string& session, const std::string& last = {}) {
    net::HttpHeaders headers{{"Accept", "text/event-stream"}, {"Mcp-Session-Id", session}};
    if (!last.empty()) headers.emplace_back("Last-Event-ID", last);
    return node.server.http_request("GET", headers);
  }
  std::string start_task(Node& node, const std::string& tool) {
    auto exchange = finish(node.server.modern("tools/call", tool, R"("name":")" + tool + "\",", kTasksCapability));
    return std::string(view(at(exchange->body(), "result", "taskId").as_string()));
  }
  Json task(Node& node, const std::string& id) {
    return at(finish(node.server.modern("tasks/get", id, R"("taskId":")" + id + "\",", kTasksCapability))->body(), "result");
  }

  std::atomic<bool> release_ = false;
  std::atomic<int> running_ = 0, cancelled_ = 0;
  SharedNodes shared_;
  std::unique_ptr<Node> a_ = std::make_unique<Node>(shared_, "a"), b_ = std::make_unique<Node>(shared_, "b");
};

TEST_F(NodesTest, AnAnswerReachesTheProcessThatAsked) {
  std::string session = a_->server.initialize("2025-11-25", R"({"elicitation":{}})");
  auto post = call(*a_, session, "ask");
  turn_until([&] { return !post->messages().empty(); });
  std::string id(view(at(post->messages()[0], "id").as_string()));
  auto answer = finish(
      b_->server.post(R"({"jsonrpc":"2.0","id":")" + id + R"(","result":{"action":"accept","content":{"n":"Ada"}}})", session));
  EXPECT_EQ(answer->response.status, 202);
  finish(post);
  EXPECT_EQ(at(post->messages().back(), "result", "content", 0, "text"), Json("Ada"));
}

TEST_F(NodesTest, AnAnswerToAProcessThatHasGoneIsTakenAndForgotten) {
  std::string session = b_->server.initialize("2025-11-25", R"({"elicitation":{}})");
  std::string nobody = "hf-" + std::string(kAddressLength, 'x') + "-" + std::string(16, 'y');
  auto answer = finish(b_->server.post(R"({"jsonrpc":"2.0","id":")" + nobody + R"(","result":{}})", session));
  EXPECT_EQ(answer->response.status, 202);
  EXPECT_TRUE(shared_.state.store.list("mcp.letter", "", "", 10)->empty()) << "no letters for addresses that clients make up";
}

TEST_F(NodesTest, TheLogLevelHoldsEverywhereAtOnce) {
  std::string session = a_->server.initialize();
  finish(b_->server.post(R"({"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"debug"}})", session));
  auto post = finish(call(*a_, session, "log"));
  ASSERT_EQ(post->messages().size(), 2U) << post->response.body;
  EXPECT_EQ(at(post->messages()[0], "method"), Json("notifications/message"));
}

TEST_F(NodesTest, TheEndOfASessionIsItsEndEverywhere) {
  std::string session = a_->server.initialize();
  auto stream = listen(*a_, session);
  auto running = call(*a_, session, "steps");
  turn_until([&] { return running_ == 1 && stream->streaming; });
  finish(b_->server.http_request("DELETE", {{"Mcp-Session-Id", session}}));
  auto after = finish(a_->server.post(R"({"jsonrpc":"2.0","id":2,"method":"ping"})", session));
  EXPECT_EQ(after->response.status, 404) << "without a delay";
  turn_until([&] { return cancelled_ == 1 && stream->done && running->done; });
}

TEST_F(NodesTest, ACancellationReachesTheProcessThatWorks) {
  std::string session = a_->server.initialize();
  auto running = call(*a_, session, "steps");
  turn_until([&] { return running_ == 1; });
  finish(b_->server.post(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}})", session));
  turn_until([&] { return cancelled_ == 1 && running->done; });
}

TEST_F(NodesTest, AStreamHearsOfWhatWasSubscribedElsewhere) {
  std::string session = a_->server.initialize();
  auto stream = listen(*a_, session);
  turn_until([&] { return stream->streaming; });
  finish(b_->server.post(R"({"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"test://a"}})", session));
  turn_until([&] {
    b_->server.server.resource_updated("test://a");  // until the message has arrived
    return !stream->messages().empty();
  });
  EXPECT_EQ(at(stream->messages()[0], "params", "uri"), Json("test://a"));
}

TEST_F(NodesTest, SubscriptionsOfTwoProcessesAreKeptBoth) {
  std::string session = a_->server.initialize();
  auto subscribe = [&](Node& node, const std::string& uri) {
    return node.server.post(R"({"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":")" + uri + "\"}}",
                            session);
  };
  finish(subscribe(*b_, "test://x"));  // now it is cached in both
  auto one = subscribe(*a_, "test://a"), two = subscribe(*b_, "test://b");
  finish(one);
  finish(two);
  auto row = shared_.state.store.get("mcp.session", session);
  ASSERT_TRUE(row && *row);
  EXPECT_EQ(at(**row, "subscribed").as_array().size(), 3U) << to_json(**row);
}

TEST_F(NodesTest, AListThatChangesIsAnnouncedEverywhere) {
  std::string session = a_->server.initialize();
  auto legacy = listen(*a_, session);
  auto modern = a_->server.modern("subscriptions/listen", {}, R"("notifications":{"toolsListChanged":true},)");
  turn_until([&] { return legacy->streaming && !modern->messages().empty(); });
  b_->server.server.tools_changed();
  turn_until([&] { return !legacy->messages().empty() && modern->messages().size() == 2; });
  EXPECT_EQ(at(modern->messages()[1], "method"), Json("notifications/tools/list_changed"));
}

TEST_F(NodesTest, AStreamIsResumedWhileAnotherProcessWorks) {
  std::string session = a_->server.initialize();
  auto post = call(*a_, session, "steps", R"({"progressToken":"p"})");
  turn_until([&] { return !post->messages().empty(); });
  post->leave();
  auto again = listen(*b_, session, post->events[0].id);  // before the report
  turn_until([&] { return !again->messages().empty(); });
  EXPECT_EQ(at(again->messages()[0], "method"), Json("notifications/progress"));
  release_ = true;
  finish(again);
  ASSERT_EQ(again->messages().size(), 2U);
  EXPECT_EQ(at(again->messages()[1], "result", "content", 0, "text"), Json("done"));
}

TEST_F(NodesTest, AResumedStandaloneStreamMovesAndMissesNothing) {
  std::string session = a_->server.initialize();
  auto first = listen(*a_, session);
  turn_until([&] { return first->streaming; });
  a_->server.server.tools_changed();
  turn_until([&] { return first->messages().size() == 1; });
  std::string seen = first->events.back().id;
  first->leave();
  a_->server.server.prompts_changed();  // kept for the client, which has gone
  turn_until([&] { return shared_.state.store.list("mcp.event", session, "", 10)->size() == 2; });
  auto second = listen(*b_, session, seen);
  turn_until([&] { return !second->messages().empty(); });
  EXPECT_EQ(at(second->messages()[0], "method"), Json("notifications/prompts/list_changed"));
  // From now on both processes hear of a change, and one of them says so. A message about an earlier one may come after it.
  a_->server.server.resources_changed();
  turn_until([&] {
    const auto messages = second->messages();
    return std::ranges::any_of(
        messages, [](const Json& message) { return at(message, "method") == Json("notifications/resources/list_changed"); });
  });
  std::set<std::string> ids;
  for (const net::SseEvent& event : second->events) ids.insert(event.id);
  EXPECT_EQ(ids.size(), second->events.size()) << "no number is given twice";
}

TEST_F(NodesTest, ANewStreamTakesThePlaceOfOneElsewhere) {
  std::string session = a_->server.initialize();
  auto first = listen(*a_, session);
  turn_until([&] { return first->streaming; });
  auto second = listen(*b_, session);
  turn_until([&] { return first->done && second->streaming; });
  a_->server.server.tools_changed();
  turn_until([&] { return !second->messages().empty(); });
  EXPECT_TRUE(first->messages().empty());
}

// A client that has seen a stream begin may open the next one at once: by then the store must know of the first.
TEST_F(NodesTest, AStreamBeginsWhenItIsWrittenWhereItIs) {
  std::string session = a_->server.initialize();
  a_->store.be_slow();
  auto first = listen(*a_, session);
  turn_until([&] { return a_->store.waits(); });
  EXPECT_FALSE(first->streaming);
  a_->store.go_on();
  turn_until([&] { return first->streaming; });
}

// The message of the earlier stream arrives after the later one was asked for, and before the store knows of it.
TEST_F(NodesTest, ALateMessageEndsNoNewerStream) {
  std::string session = a_->server.initialize();
  b_->store.be_slow();
  auto second = listen(*b_, session);
  turn_until([&] { return b_->store.waits(); });
  auto first = listen(*a_, session);
  turn_until([&] { return first->streaming; });
  // When a later message has arrived, so has the one about the stream (but for a change of order, which makes this test weaker).
  auto modern = b_->server.modern("subscriptions/listen", {}, R"("notifications":{"toolsListChanged":true},)");
  turn_until([&] { return !modern->messages().empty(); });
  a_->server.server.tools_changed();
  turn_until([&] { return modern->messages().size() == 2; });
  b_->store.go_on();
  turn_until([&] { return second->streaming && first->done; });
  EXPECT_FALSE(second->done);
}

TEST_F(NodesTest, ASessionThatEndsWhileAStreamIsOpenedHasNone) {
  std::string session = a_->server.initialize();
  a_->store.be_slow();
  auto stream = listen(*a_, session);
  turn_until([&] { return a_->store.waits(); });
  finish(a_->server.http_request("DELETE", {{"Mcp-Session-Id", session}}));
  a_->store.go_on();
  finish(stream);
}

TEST_F(NodesTest, AStreamThatHasMovedIsNotClaimedByBeingProlonged) {
  std::string session = a_->server.initialize();
  auto first = listen(*a_, session);
  turn_until([&] { return first->streaming; });
  // As a process does whose message is still on its way.
  const Json elsewhere(b_->store.address());
  ASSERT_TRUE(shared_.state.store.put(kStreamsAtArea, session, elsewhere, shared_.state.clock.now() + Millis{86'400'000}));
  LegacySessions sessions(a_->server.server);
  std::shared_ptr<Connection> connection;
  sessions.find(session, local_identity(),
                [&](Result<std::shared_ptr<Connection>> found) { connection = found.value_or(nullptr); });
  turn_until([&] { return connection != nullptr; });
  connection->listens = [] { return true; };
  shared_.state.clock.advance(std::chrono::milliseconds(kSessionTouchEvery).count() + 1);
  sessions.prolong_listening();
  a_->server.pool.close();  // what was asked of it is done now
  EXPECT_EQ(shared_.state.store.get(kStreamsAtArea, session)->value(), elsewhere);
}

TEST_F(NodesTest, AListenerHearsOfATaskThatRunsElsewhere) {
  std::string id = start_task(*a_, "works");
  auto listener =
      b_->server.modern("subscriptions/listen", {}, R"("notifications":{"taskIds":[")" + id + "\"]},", kTasksCapability);
  turn_until([&] { return listener->messages().size() == 1; });
  release_ = true;
  turn_until([&] { return listener->messages().size() == 2; });
  EXPECT_EQ(at(listener->messages()[1], "method"), Json("notifications/tasks"));
  EXPECT_EQ(at(listener->messages()[1], "params", "status"), Json("completed"));
  EXPECT_TRUE(at(listener->messages()[1], "params", "_node").is_null()) << "addresses stay among us";
}

TEST_F(NodesTest, ATaskIsAnsweredAndCancelledFromElsewhere) {
  std::string asking = start_task(*a_, "wonders"), working = start_task(*a_, "works");
  turn_until([&] { return at(task(*b_, asking), "status") == Json("input_required"); });
  finish(b_->server.modern("tasks/update", asking,
                           R"("taskId":")" + asking + R"(","inputResponses":{"a":{"action":"accept","content":{}}},)",
                           kTasksCapability));
  EXPECT_NE(at(task(*b_, asking), "status"), Json("input_required")) << "who has answered sees the answer taken";
  turn_until([&] { return at(task(*b_, asking), "status") == Json("completed"); });
  finish(b_->server.modern("tasks/cancel", working, R"("taskId":")" + working + "\",", kTasksCapability));
  turn_until([&] { return cancelled_ == 1 && at(task(*b_, working), "status") == Json("cancelled"); });
}

TEST_F(NodesTest, WhatOneProcessSaysOfATaskAnotherSays) {
  std::string id = start_task(*a_, "wonders");
  turn_until([&] { return at(task(*a_, id), "status") == Json("input_required"); });
  EXPECT_EQ(at(task(*b_, id), "status"), Json("input_required"));
  finish(a_->server.modern("tasks/update", id,
                           R"("taskId":")" + id + R"(","inputResponses":{"a":{"action":"accept","content":{}}},)",
                           kTasksCapability));
  EXPECT_NE(at(task(*b_, id), "status"), Json("input_required"));
}

TEST_F(NodesTest, AProcessThatIsNotHeardOfAnyMoreHasGone) {
  EXPECT_TRUE(shared_.state.store.get(kNodeArea, a_->store.address())->has_value());
  shared_.state.clock.advance(std::chrono::milliseconds(kNodeLife).count());
  EXPECT_FALSE(shared_.state.store.get(kNodeArea, a_->store.address())->has_value());
}

}  // namespace
}  // namespace holdfast::mcp
