// Streams of legacy sessions that outlive their connections (mcp-protocol §8, design 8.34).

#include "mcp/transport/event_stream.h"

#include "mcp/server/test_server.h"

namespace holdfast::mcp {
namespace {

class EventStreamTest : public ::testing::Test {
 protected:
  EventStreamTest() { offer(*server_); }

  void offer(TestServer& target) {
    ASSERT_TRUE(target.server.add_tool(simple_tool("report", [this](Call& call) -> ToolReply {
      call.progress(1, 2);
      call.release_connection();
      while (!release_ && call.wait_for(std::chrono::milliseconds(1))) {
      }
      return ToolResult::text("done");
    })));
    ASSERT_TRUE(target.server.add_tool(simple_tool("steps", [this](Call& call) -> ToolReply {
      call.progress(1, 2);
      while (!release_ && call.wait_for(std::chrono::milliseconds(1))) {
      }
      return ToolResult::text("done");
    })));
  }
  std::shared_ptr<FakeExchange> call(const std::string& tool) {
    return server_->post(
        R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":")" + tool + R"(","_meta":{"progressToken":"p"}}})",
        session_);
  }
  std::shared_ptr<FakeExchange> get(TestServer& server, const std::string& last_event) {
    net::HttpHeaders headers{{"Accept", "text/event-stream"}, {"Mcp-Session-Id", session_}};
    if (!last_event.empty()) headers.emplace_back("Last-Event-ID", last_event);
    return server.http_request("GET", headers);
  }
  void restart() {
    server_ = std::make_unique<TestServer>(shared_);
    offer(*server_);
  }

  std::atomic<bool> release_ = false;
  SharedState shared_;
  std::unique_ptr<TestServer> server_ = std::make_unique<TestServer>(shared_);
  std::string session_ = server_->initialize();
};

TEST_F(EventStreamTest, AReleasedConnectionLosesNothingThatWasOnItsWay) {
  auto post = call("report");
  server_->turn_until([&] { return post->done; });
  std::size_t before = post->messages().size();  // the report may have been stored in time, or not
  auto again = get(*server_, post->events.back().id);
  release_ = true;
  server_->turn_until([&] { return again->done; });
  EXPECT_EQ(before + again->messages().size(), 2U) << "one report, one answer";
}

TEST_F(EventStreamTest, AClientThatHasEverythingIsNotKeptWaiting) {
  release_ = true;
  auto post = call("steps");
  server_->turn_until([&] { return post->done; });
  std::string last = post->events.back().id;
  auto again = get(*server_, last);
  server_->turn_until([&] { return again->done; });
  EXPECT_TRUE(again->messages().empty());
  restart();
  auto after_restart = get(*server_, last);
  server_->turn_until([&] { return after_restart->done; });
  EXPECT_TRUE(after_restart->messages().empty());
}

TEST_F(EventStreamTest, ALongStreamStaysResumable) {
  auto stream = get(*server_, {});
  server_->server.tools_changed();
  server_->turn_until([&] { return stream->messages().size() == 1; });
  std::string seen = stream->events.back().id;
  shared_.clock.advance(9 * 60 * 1000);
  server_->server.tools_changed();
  server_->turn_until([&] { return stream->messages().size() == 2; });
  shared_.clock.advance(2 * 60 * 1000);  // the first event has expired, the second has not
  restart();
  auto again = get(*server_, seen);
  server_->turn_until([&] { return again->streaming && !again->messages().empty(); });
  EXPECT_EQ(again->events.back().id, stream->events.back().id);
}

TEST_F(EventStreamTest, ABatchIsNotTakenForAStandaloneStream) {
  session_ = server_->initialize("2025-03-26");
  auto standalone = get(*server_, {});
  auto post = server_->post(
      R"([{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"steps","_meta":{"progressToken":"p"}}}])", session_);
  server_->turn_until([&] { return !post->messages().empty(); });
  TestServer other(shared_);
  auto resumed = get(other, post->events.front().id);
  other.turn_until([&] { return resumed->streaming; });
  release_ = true;
  server_->turn_until([&] { return post->done; });
  other.turn_until([&] { return resumed->done; });
  ASSERT_EQ(resumed->messages().size(), 1U);
  EXPECT_TRUE(resumed->messages()[0].is_array());
  EXPECT_FALSE(standalone->done);
}

TEST_F(EventStreamTest, OnlyOurOwnEventIdsAreRead) {
  EXPECT_EQ(parse_event_id("pAb1-17")->stream, "pAb1");
  EXPECT_EQ(parse_event_id("g0-0")->number, 0U);
  for (const char* bad : {"", "-", "p", "p-", "-1", "x1-1", "p1-1x", "p1--1", "p/1-1", "p1-1234567890123", "p1- 1",
                          "p1-18446744073709551616", "paaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-1"})
    EXPECT_FALSE(parse_event_id(bad)) << bad;
  EXPECT_EQ(event_number(event_key("s", "p1", 42)), 42U);
  EXPECT_LT(event_key("s", "p1", 9), event_key("s", "p1", 10));
  auto hostile = get(*server_, "../../x-1");
  EXPECT_EQ(hostile->response.status, 400);
}

}  // namespace
}  // namespace holdfast::mcp
