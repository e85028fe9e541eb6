// MCP over pipes: framing, both eras on one pipe, and the end of the input (mcp-protocol §7).

#include "mcp/transport/transport_stdio.h"

#include "mcp/transport/test_stdio.h"
#include "mcp/wire/limits.h"

namespace holdfast::mcp {
namespace {

constexpr const char* kPing = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";

std::string modern(const std::string& id, const std::string& method, const std::string& members = {},
                   const std::string& capabilities = "{}") {
  return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":{)" + members +
         TestServer::envelope(capabilities) + "}}";
}

class StdioTransportTest : public ::testing::Test {
 protected:
  StdioTransportTest() {
    auto add = [this](Tool tool) { ASSERT_TRUE(server_.server.add_tool(std::move(tool))); };
    add(simple_tool("wait", [this](Call& call) -> ToolReply {
      ++waiting_;
      while (!release_ && call.wait_for(std::chrono::milliseconds(1))) {
      }
      if (call.cancelled()) ++cancelled_;
      return ToolResult::text("released");
    }));
    add(simple_tool("ask", [](Call& call) -> ToolReply {
      const Answer* answer = call.ask("a", Question::form("?", {{"type", "object"}, {"properties", JsonObject{}}}));
      if (!answer) return InputRequired{};
      return ToolResult::text(answer->failure ? answer->failure->message : "answered");
    }));
    add(simple_tool("quick", [](Call&) -> ToolReply { return ToolResult::text("quick"); }));
  }

  std::atomic<bool> release_ = false;
  std::atomic<int> waiting_ = 0, cancelled_ = 0;
  SharedState shared_;
  TestServer server_{shared_};
  TestStdio stdio_{server_};
};

TEST_F(StdioTransportTest, BothErasShareAPipe) {
  auto out = stdio_.serve(modern("1", "server/discover") + "\n" + legacy_hello("2025-06-18") + "\n" + kPing + "\n" +
                          modern("2", "tools/list") + "\n" + modern("3", "ping") + "\n" +
                          R"({"jsonrpc":"2.0","id":4,"method":"tools/list"})" + "\n");
  ASSERT_EQ(out.size(), 6U);
  EXPECT_EQ(at(out[0], "result", "supportedVersions", 0), Json("2026-07-28"));
  EXPECT_EQ(at(out[1], "result", "protocolVersion"), Json("2025-06-18"));
  EXPECT_EQ(at(out[2], "result"), Json(JsonObject{}));
  EXPECT_EQ(at(out[3], "result", "resultType"), Json("complete"));
  EXPECT_EQ(at(out[4], "error", "code"), Json(-32601));
  EXPECT_TRUE(at(out[5], "result", "resultType").is_null());
}

TEST_F(StdioTransportTest, RequestsBeforeTheHandshakeAreToldWhatToDo) {
  stdio_.say(kPing);
  stdio_.say(R"({"jsonrpc":"2.0","id":2,"method":"tools/list"})");
  stdio_.say(R"({"jsonrpc":"2.0","id":3,"method":"server/discover"})");
  stdio_.say(
      R"({"jsonrpc":"2.0","id":4,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-11-25","io.modelcontextprotocol/clientCapabilities":{}}}})");
  auto out = stdio_.messages();
  ASSERT_EQ(out.size(), 4U);
  EXPECT_TRUE(at(out[0], "result").is_object());
  EXPECT_EQ(at(out[1], "error", "code"), Json(-32600));
  EXPECT_EQ(at(out[2], "error", "code"), Json(-32602));
  EXPECT_EQ(at(out[3], "error", "code"), Json(-32022));
}

TEST_F(StdioTransportTest, InitializingTwiceIsRefused) {
  stdio_.say(legacy_hello("2025-11-25"));
  stdio_.say(legacy_hello("2025-06-18"));
  EXPECT_EQ(at(stdio_.messages()[1], "error", "code"), Json(-32600));
  stdio_.say(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"none"}})");
  EXPECT_EQ(at(stdio_.messages()[2], "error", "code"), Json(-32602));
}

TEST_F(StdioTransportTest, ALineThatIsTooLongIsSkippedAndTheNextOneServed) {
  auto out = stdio_.serve("{\"x\":\"" + std::string(kMaxLineBytes, 'x') + "\"}\n" + kPing + "\n");
  ASSERT_EQ(out.size(), 2U);
  EXPECT_EQ(at(out[0], "error", "code"), Json(-32600));
  EXPECT_EQ(at(out[1], "id"), Json(1));
}

TEST_F(StdioTransportTest, TheLastLineNeedsNoNewline) {
  auto out = stdio_.serve(std::string("\r\n  \n") + kPing + "\r\n" + R"({"jsonrpc":"2.0","id":"last","method":"ping"})");
  ASSERT_EQ(out.size(), 2U);
  EXPECT_EQ(at(out[1], "id"), Json("last"));
}

TEST_F(StdioTransportTest, BatchesBelongTo20250326Alone) {
  std::string batch =
      R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"quick"}},)"
      R"({"jsonrpc":"2.0","method":"notifications/x","params":5},7,{"jsonrpc":"2.0","id":3,"method":"initialize"}])";
  stdio_.say(batch);
  EXPECT_EQ(at(stdio_.messages()[0], "error", "code"), Json(-32600));
  stdio_.say(legacy_hello("2025-03-26"));
  stdio_.say(batch);
  stdio_.wait_for_lines(3);
  Json answers = stdio_.messages()[2];
  ASSERT_TRUE(answers.is_array());
  EXPECT_EQ(answers.get_array().size(), 4U) << to_json(answers);
  stdio_.say(R"([{"jsonrpc":"2.0","method":"notifications/initialized"}])");
  stdio_.say("[]");
  auto out = stdio_.messages();
  ASSERT_EQ(out.size(), 4U) << "nothing to say to notifications alone";
  EXPECT_EQ(at(out[3], "error", "code"), Json(-32600));
}

TEST_F(StdioTransportTest, NotificationsAreNeverAnswered) {
  stdio_.say(legacy_hello("2025-11-25"));
  for (const char* line :
       {R"({"jsonrpc":"2.0","method":"notifications/initialized"})", R"({"jsonrpc":"2.0","method":"no/such"})",
        R"({"jsonrpc":"2.0","method":"notifications/cancelled"})", R"({"jsonrpc":"2.0","method":"broken","params":[1]})",
        R"({"method":"no version"})", R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{"a":1}}})",
        R"({"jsonrpc":"2.0","id":"hf-unknown","result":{}})", R"({"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}})"})
    stdio_.say(line);
  EXPECT_EQ(stdio_.lines().size(), 1U);
}

TEST_F(StdioTransportTest, CancelledCallsGetNoAnswer) {
  stdio_.say(modern("1", "tools/call", R"("name":"wait",)"));
  server_.turn_until([&] { return waiting_ == 1; });
  stdio_.say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1"}})");
  EXPECT_EQ(server_.server.counts().running, 1U) << "\"1\" is not 1";
  stdio_.say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  server_.turn_until([&] { return cancelled_ == 1; });
  EXPECT_TRUE(stdio_.lines().empty());
}

TEST_F(StdioTransportTest, AnIdIsUsedByOneOpenRequestOnly) {
  stdio_.say(legacy_hello("2025-11-25"));
  stdio_.say(modern("1", "tools/call", R"("name":"wait",)"));
  stdio_.say(modern("2", "subscriptions/listen", R"("notifications":{"toolsListChanged":true},)"));
  server_.turn_until([&] { return waiting_ == 1; });
  ASSERT_EQ(stdio_.lines().size(), 2U);
  for (const std::string& line : {modern("1", "subscriptions/listen", R"("notifications":{},)"),
                                  modern("2", "subscriptions/listen", R"("notifications":{},)"), modern("2", "tools/list"),
                                  std::string(R"({"jsonrpc":"2.0","id":2,"method":"tools/list"})")}) {
    std::size_t before = stdio_.lines().size();
    stdio_.say(line);
    ASSERT_EQ(stdio_.lines().size(), before + 1);
    EXPECT_EQ(at(stdio_.messages().back(), "error", "code"), Json(-32600)) << line;
  }
  stdio_.say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}})");
  EXPECT_EQ(server_.server.counts().subscriptions, 0U);
  stdio_.say(modern("2", "tools/list"));
  EXPECT_TRUE(at(stdio_.messages().back(), "result").is_object()) << "free again";
  release_ = true;
  server_.turn_until([&] { return server_.server.counts().running == 0; });
}

TEST_F(StdioTransportTest, SubscriptionsOfOnePipeAreBounded) {
  for (std::size_t i = 0; i <= kMaxRunningPerConnection; ++i)
    stdio_.say(modern(std::to_string(i), "subscriptions/listen", R"("notifications":{"toolsListChanged":true},)"));
  EXPECT_EQ(server_.server.counts().subscriptions, kMaxRunningPerConnection);
  EXPECT_EQ(at(stdio_.messages().back(), "error", "code"), Json(-32603));
}

TEST_F(StdioTransportTest, SubscriptionsEndWithTheInput) {
  auto out = stdio_.serve(modern("9", "subscriptions/listen", R"("notifications":{"toolsListChanged":true},)") + "\n");
  ASSERT_EQ(out.size(), 3U);
  EXPECT_EQ(at(out[0], "method"), Json("notifications/subscriptions/acknowledged"));
  EXPECT_EQ(at(out[1], "method"), Json("notifications/cancelled"));
  EXPECT_EQ(at(out[1], "params", "requestId"), Json(9));
  EXPECT_EQ(at(out[2], "result", "_meta", "io.modelcontextprotocol/subscriptionId"), Json(9));
}

TEST_F(StdioTransportTest, CallsThatRunWhenTheInputEndsAreAnswered) {
  auto out = stdio_.serve(modern("1", "tools/call", R"("name":"quick",)") + "\n");
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(at(out[0], "result", "content", 0, "text"), Json("quick"));
}

TEST_F(StdioTransportTest, TheEndOfTheInputIsToldBeforeCallsAreWaitedFor) {
  stdio_.transport.on_input_end([this] { release_ = true; });
  auto out = stdio_.serve(modern("1", "tools/call", R"("name":"wait",)") + "\n");
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(at(out[0], "result", "content", 0, "text"), Json("released"));
  EXPECT_EQ(cancelled_, 0);
}

TEST_F(StdioTransportTest, AQuestionIsNotWaitedForAfterTheInputHasEnded) {
  stdio_.say(legacy_hello("2025-11-25", R"({"elicitation":{}})"));
  stdio_.say(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask"}})");
  stdio_.wait_for_lines(2);
  EXPECT_EQ(at(stdio_.messages()[1], "method"), Json("elicitation/create"));
  auto out = stdio_.serve("");
  ASSERT_EQ(out.size(), 3U);
  EXPECT_EQ(at(out[2], "result", "content", 0, "text"), Json("the client answered with an error: the input has ended"));
}

TEST_F(StdioTransportTest, AQuestionThatComesAfterTheInputHasEndedFailsToo) {
  auto out = stdio_.serve(legacy_hello("2025-11-25", R"({"elicitation":{}})") + "\n" +
                          R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask"}})");
  ASSERT_EQ(out.size(), 3U);
  EXPECT_EQ(at(out[2], "id"), Json(1));
}

TEST_F(StdioTransportTest, ChangesAreAnnouncedOnlyAfterTheHandshake) {
  server_.server.tools_changed();
  stdio_.say(legacy_hello("2025-11-25"));
  server_.server.tools_changed();
  EXPECT_EQ(stdio_.lines().size(), 1U);
  stdio_.say(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  server_.server.tools_changed();
  ASSERT_EQ(stdio_.lines().size(), 2U);
  EXPECT_EQ(at(stdio_.messages()[1], "method"), Json("notifications/tools/list_changed"));
}

}  // namespace
}  // namespace holdfast::mcp
