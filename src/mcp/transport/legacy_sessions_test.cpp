// Legacy sessions between the memory of processes and the store they share.

#include "mcp/transport/legacy_sessions.h"

#include "mcp/server/test_server.h"

#include <condition_variable>
#include <mutex>

namespace holdfast::mcp {
namespace {

// A store whose writes can be held up, as a slow disk would.
class SlowStore final : public StateStore {
 public:
  explicit SlowStore(StateStore& below) : below_(below) {}
  ~SlowStore() override { hold_puts(false); }

  void hold_puts(bool hold) {
    std::lock_guard lock(mutex_);
    held_ = hold;
    changed_.notify_all();
  }
  void wait_for_a_held_put() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return waiting_ > 0; });
  }

  Result<std::string> secret() override { return below_.secret(); }
  Result<std::optional<Json>> get(std::string_view area, std::string_view key) override { return below_.get(area, key); }
  Result<void> put(std::string_view area, std::string_view key, const Json& value, Millis expires_at) override {
    {
      std::unique_lock lock(mutex_);
      ++waiting_;
      changed_.notify_all();
      changed_.wait(lock, [this] { return !held_; });
      --waiting_;
    }
    return below_.put(area, key, value, expires_at);
  }
  Result<void> erase(std::string_view area, std::string_view key) override { return below_.erase(area, key); }
  Result<std::vector<StoredState>> list(std::string_view area, std::string_view prefix, std::string_view after,
                                        std::size_t limit) override {
    return below_.list(area, prefix, after, limit);
  }
  Result<void> change(const Work& work) override {
    {
      std::unique_lock lock(mutex_);
      ++waiting_;
      changed_.notify_all();
      changed_.wait(lock, [this] { return !held_; });
      --waiting_;
    }
    return below_.change(work);
  }
  std::string owner() const override { return below_.owner(); }
  bool is_alive(std::string_view owner) const override { return below_.is_alive(owner); }

 private:
  StateStore& below_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool held_ = false;
  int waiting_ = 0;
};

class LegacySessionsTest : public ::testing::Test {
 protected:
  void offer(TestServer& target) {
    target.server.add_resource({{"test://a", "a", {}, "a", "text/plain"}, [](Call&) -> ResourceReply {
                                  return ResourceResult{{text_contents("test://a", "text/plain", "A")}, 0, true};
                                }});
    ASSERT_TRUE(target.server.add_tool(simple_tool("wait", [this](Call& call) -> ToolReply {
      ++running_;
      while (call.wait_for(std::chrono::milliseconds(1))) {
      }
      ++cancelled_;
      return ToolResult::text("over");
    })));
  }
  static std::shared_ptr<FakeExchange> end(TestServer& server, const std::string& session) {
    return server.http_request("DELETE", {{"Mcp-Session-Id", session}});
  }
  static constexpr const char* kSubscribe =
      R"({"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"test://a"}})";

  std::atomic<int> running_ = 0, cancelled_ = 0;
  SharedState shared_;
};

TEST_F(LegacySessionsTest, WhatWasAnsweredIsStored) {
  SlowStore slow(shared_.store);
  TestServer server(shared_, slow);
  offer(server);
  std::string session = server.initialize();
  slow.hold_puts(true);
  auto subscribe = server.post(kSubscribe, session);
  slow.wait_for_a_held_put();
  server.loop.run_ready();
  EXPECT_FALSE(subscribe->done) << "acknowledged means durable";
  slow.hold_puts(false);
  server.turn_until([&] { return subscribe->done; });
  EXPECT_EQ(subscribe->response.status, 200);
}

TEST_F(LegacySessionsTest, NothingIsWrittenAfterTheEndOfASession) {
  SlowStore slow(shared_.store);
  TestServer server(shared_, slow);
  offer(server);
  std::string session = server.initialize();
  slow.hold_puts(true);
  auto subscribe = server.post(kSubscribe, session);
  slow.wait_for_a_held_put();
  auto ended = end(server, session);
  server.loop.run_ready();
  slow.hold_puts(false);
  server.turn_until([&] { return ended->done; });
  EXPECT_EQ(ended->response.status, 200);
  auto after = server.post(R"({"jsonrpc":"2.0","id":2,"method":"ping"})", session);
  server.turn_until([&] { return after->done; });
  EXPECT_EQ(after->response.status, 404);
}

TEST_F(LegacySessionsTest, TheEndOfASessionEndsItsCallsAndItsStream) {
  TestServer server(shared_);
  offer(server);
  std::string session = server.initialize();
  auto stream = server.http_request("GET", {{"Accept", "text/event-stream"}, {"Mcp-Session-Id", session}});
  auto call = server.post(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}})", session);
  server.turn_until([&] { return running_ == 1; });
  auto ended = end(server, session);
  server.turn_until([&] { return ended->done && cancelled_ == 1; });
  EXPECT_TRUE(stream->done);
  EXPECT_TRUE(call->done);
}

TEST_F(LegacySessionsTest, ErrorsAboutASessionNameTheRequest) {
  TestServer server(shared_);
  offer(server);
  auto missing = server.post(R"({"jsonrpc":"2.0","id":"a","method":"tools/list"})");
  EXPECT_EQ(at(missing->body(), "id"), Json("a"));
  auto unknown = server.post(R"({"jsonrpc":"2.0","id":5,"method":"tools/list"})", "never-issued");
  server.turn_until([&] { return unknown->done; });
  EXPECT_EQ(unknown->response.status, 404);
  EXPECT_EQ(at(unknown->body(), "id"), Json(5));
  auto response = server.post(R"({"jsonrpc":"2.0","id":"hf-1","result":{}})", "never-issued");
  server.turn_until([&] { return response->done; });
  EXPECT_TRUE(at(response->body(), "id").is_null()) << "it was not a request";
}

TEST_F(LegacySessionsTest, InitializingAgainOpensAnotherSession) {
  TestServer server(shared_);
  std::string first = server.initialize(), second = server.initialize();
  EXPECT_NE(first, second);
  EXPECT_EQ(server.http.cached_sessions(), 2U);
  for (const std::string& session : {first, second}) {
    auto ping = server.post(R"({"jsonrpc":"2.0","id":2,"method":"ping"})", session);
    server.turn_until([&] { return ping->done; });
    EXPECT_EQ(ping->response.status, 200);
  }
}

// A client that waits for notifications sends nothing for weeks.
TEST_F(LegacySessionsTest, ASilentClientThatListensKeepsItsSession) {
  constexpr Millis kSixDays = Millis{6} * 24 * 3'600'000;
  TestServer server(shared_);
  const std::string listening = server.initialize(), gone = server.initialize();
  const auto lives = [&](LegacySessions& sessions, const std::string& id, std::shared_ptr<Connection>& connection) {
    bool answered = false;
    sessions.find(id, local_identity(), [&](Result<std::shared_ptr<Connection>> found) {
      answered = true;
      connection = found.value_or(nullptr);
    });
    server.turn_until([&] { return answered; });
    return connection != nullptr;
  };
  LegacySessions sessions(server.server);
  std::shared_ptr<Connection> with_stream, without;
  ASSERT_TRUE(lives(sessions, listening, with_stream));
  ASSERT_TRUE(lives(sessions, gone, without));
  with_stream->listens = [] { return true; };

  shared_.clock.advance(kSixDays);
  sessions.prolong_listening();
  server.pool.close();  // what was asked of it is done now
  TestServer later(shared_);
  shared_.clock.advance(kSixDays);
  auto kept = later.post(R"({"jsonrpc":"2.0","id":1,"method":"ping"})", listening);
  auto lost = later.post(R"({"jsonrpc":"2.0","id":1,"method":"ping"})", gone);
  later.turn_until([&] { return kept->done && lost->done; });
  EXPECT_EQ(kept->response.status, 200);
  EXPECT_EQ(lost->response.status, 404);
}

}  // namespace
}  // namespace holdfast::mcp
