// Streamable HTTP without sockets: the order of the checks, sessions, streams that are resumed (mcp-protocol §4-§8).

#include "mcp/server/test_server.h"

namespace holdfast::mcp {
namespace {

class HttpTransportTest : public ::testing::Test {
 protected:
  HttpTransportTest() { offer(*server_); }

  void offer(TestServer& target) {
    Tool echo = simple_tool(
        "echo", [](Call& call) -> ToolReply { return ToolResult::text(find_string(call.arguments(), "m").value_or("none")); },
        RunOn::io);
    echo.input_schema = {{"type", "object"},
                         {"properties", JsonObject{{"m", JsonObject{{"type", "string"}}},
                                                   {"region", JsonObject{{"type", "string"}, {"x-mcp-header", "Region"}}}}}};
    ASSERT_TRUE(target.server.add_tool(std::move(echo)));
    ASSERT_TRUE(target.server.add_tool(simple_tool("steps", [](Call& call) -> ToolReply {
      call.progress(1, 2);
      call.progress(2, 2);
      return ToolResult::text("done");
    })));
    ASSERT_TRUE(target.server.add_tool(simple_tool("wait", [this](Call& call) -> ToolReply {
      ++waiting_;
      while (!release_ && call.wait_for(std::chrono::milliseconds(1))) {
      }
      if (call.cancelled()) ++cancelled_;
      return ToolResult::text("released");
    })));
    ASSERT_TRUE(target.server.add_tool(simple_tool("later", [this](Call& call) -> ToolReply {
      call.release_connection();
      while (!release_ && call.wait_for(std::chrono::milliseconds(1))) {
      }
      return ToolResult::text("came back");
    })));
    ASSERT_TRUE(target.server.add_tool(simple_tool("ask", [](Call& call) -> ToolReply {
      const Answer* answer =
          call.ask("name", Question::form("Name?", {{"type", "object"},
                                                    {"properties", JsonObject{{"n", JsonObject{{"type", "string"}}}}},
                                                    {"required", JsonArray{"n"}}}));
      if (!answer) return InputRequired{};
      if (answer->failure) return ToolResult::failure(*answer->failure);
      return ToolResult::text(answer->content() ? find_string(*answer->content(), "n").value_or("") : "declined");
    })));
    FixedResource resource{{"test://a", "a", {}, "a", "text/plain"}, [](Call&) -> ResourceReply {
                             return ResourceResult{{text_contents("test://a", "text/plain", "A")}, 0, true};
                           }};
    target.server.add_resource(std::move(resource));
  }

  static net::HttpHeaders modern_headers(std::vector<std::pair<std::string, std::string>> changes) {
    net::HttpHeaders headers{{"Content-Type", "application/json"},
                             {"MCP-Protocol-Version", "2026-07-28"},
                             {"Mcp-Method", "tools/call"},
                             {"Mcp-Name", "echo"}};
    for (auto& [name, value] : changes) {
      std::erase_if(headers, [&, key = name](const auto& header) { return header.first == key; });
      if (value != "-") headers.emplace_back(name, value);
    }
    return headers;
  }

  std::atomic<bool> release_ = false;
  std::atomic<int> waiting_ = 0, cancelled_ = 0;
  SharedState shared_;
  std::unique_ptr<TestServer> server_ = std::make_unique<TestServer>(shared_);
};

constexpr const char* kCall = R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"m":"x"},)";

TEST_F(HttpTransportTest, ModernChecksInTheOrderOfSection5) {
  struct Case {
    const char* what;
    net::HttpHeaders headers;
    std::string body;
    int status, code;
  };
  std::string good = kCall + TestServer::envelope() + "}}";
  std::string v999 =
      kCall +
      std::string(
          R"("_meta":{"io.modelcontextprotocol/protocolVersion":"v999","io.modelcontextprotocol/clientCapabilities":{}}}})");
  std::vector<Case> cases = {
      {"wrong content type", modern_headers({{"Content-Type", "text/plain"}}), good, 415, -32600},
      {"not JSON", modern_headers({}), "{", 400, -32700},
      {"not a message", modern_headers({}), R"({"id":1})", 400, -32600},
      {"no envelope, modern header", modern_headers({}), kCall + std::string(R"("x":1}})"), 400, -32602},
      {"version of the wrong type", modern_headers({}),
       kCall + std::string(R"("_meta":{"io.modelcontextprotocol/protocolVersion":1}}})"), 400, -32602},
      {"unknown log level", modern_headers({}),
       kCall +
           std::string(
               R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"loud"}}})"),
       400, -32602},
      {"no version header", modern_headers({{"MCP-Protocol-Version", "-"}}), good, 400, -32020},
      {"mismatch comes before support", modern_headers({}), v999, 400, -32020},
      {"unsupported", modern_headers({{"MCP-Protocol-Version", "v999"}}), v999, 400, -32022},
      {"no method header", modern_headers({{"Mcp-Method", "-"}}), good, 400, -32020},
      {"method header in another case", modern_headers({{"Mcp-Method", "Tools/Call"}}), good, 400, -32020},
      {"no name header", modern_headers({{"Mcp-Name", "-"}}), good, 400, -32020},
      {"other name", modern_headers({{"Mcp-Name", "steps"}}), good, 400, -32020},
      {"broken base64 name", modern_headers({{"Mcp-Name", "=?base64?ZWNobw?="}}), good, 400, -32020},
      {"parameter header without argument", modern_headers({{"Mcp-Param-Region", "eu"}}), good, 400, -32020},
  };
  for (const Case& c : cases) {
    auto exchange = server_->http_request("POST", c.headers, c.body);
    ASSERT_TRUE(exchange->done) << c.what;
    EXPECT_EQ(exchange->response.status, c.status) << c.what;
    EXPECT_EQ(at(exchange->body(), "error", "code"), Json(c.code)) << c.what << exchange->response.body;
  }
  auto fine = server_->http_request("POST", modern_headers({{"Mcp-Name", "=?base64?ZWNobw==?="}}), good);
  EXPECT_EQ(fine->response.status, 200) << fine->response.body;
  EXPECT_EQ(at(fine->body(), "result", "content", 0, "text"), Json("x"));
  EXPECT_EQ(at(fine->body(), "result", "resultType"), Json("complete"));
  EXPECT_EQ(at(fine->body(), "id"), Json(7));
}

// What stands in front of us may read the second one.
TEST_F(HttpTransportTest, AHeaderThatIsRepeatedIsRefused) {
  std::string good = kCall + TestServer::envelope() + "}}";
  for (const auto& [name, value] : net::HttpHeaders{
           {"Mcp-Name", "steps"}, {"mcp-name", "echo"}, {"Mcp-Method", "tools/list"}, {"MCP-Protocol-Version", "2025-11-25"}}) {
    net::HttpHeaders headers = modern_headers({});
    headers.emplace_back(name, value);
    auto exchange = server_->http_request("POST", headers, good);
    EXPECT_EQ(exchange->response.status, 400) << name;
    EXPECT_EQ(at(exchange->body(), "error", "code"), Json(-32020)) << name;
  }
}

TEST_F(HttpTransportTest, AcceptDecidesWhatCanBeSent) {
  auto listen = [&](const std::string& accept) {
    net::HttpHeaders headers = modern_headers({{"Mcp-Method", "subscriptions/listen"}, {"Mcp-Name", "-"}});
    headers.emplace_back("Accept", accept);
    return server_->http_request("POST", headers,
                                 R"({"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{},)" +
                                     TestServer::envelope() + "}}");
  };
  EXPECT_EQ(listen("application/json")->response.status, 406) << "a subscription is a stream";
  EXPECT_TRUE(listen("*/*")->streaming);
  std::string session = server_->initialize();
  auto ping = [&](net::HttpHeaders accept) {
    accept.emplace_back("Content-Type", "application/json");
    accept.emplace_back("Mcp-Session-Id", session);
    return server_->http_request("POST", accept, R"({"jsonrpc":"2.0","id":1,"method":"ping"})")->response.status;
  };
  EXPECT_EQ(ping({{"Accept", "application/json"}}), 406);
  EXPECT_EQ(ping({{"Accept", "application/json"}, {"accept", "Text/Event-Stream;q=0.5"}}), 200) << "spread over two headers";
  EXPECT_EQ(ping({}), 200);
}

TEST_F(HttpTransportTest, RemovedAndUnknownMethodsAre404InTheModernEra) {
  for (const char* method :
       {"initialize", "ping", "logging/setLevel", "resources/subscribe", "unknown/method", "tasks/list", "prompts/list"}) {
    auto exchange = server_->modern(method);
    EXPECT_EQ(exchange->response.status, 404) << method;
    EXPECT_EQ(at(exchange->body(), "error", "code"), Json(-32601)) << method;
  }
}

TEST_F(HttpTransportTest, NothingModernLeaksIntoLegacyAnswers) {
  std::string session = server_->initialize();
  for (const char* method : {"tools/list", "resources/list", "ping"}) {
    auto exchange = server_->post(R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(method) + R"("})", session);
    server_->turn_until([&] { return exchange->done; });
    for (const char* field : {"resultType", "ttlMs", "cacheScope", "_meta"})
      EXPECT_TRUE(at(exchange->body(), "result", field).is_null()) << method << " " << field;
  }
}

TEST_F(HttpTransportTest, LegacyNeedsItsSession) {
  std::string ping = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
  EXPECT_EQ(server_->post(ping)->response.status, 400);
  auto unknown = server_->post(ping, "never-issued");
  server_->turn_until([&] { return unknown->done; });
  EXPECT_EQ(unknown->response.status, 404);
  std::string session = server_->initialize();
  auto foreign = server_->post(ping, session, full_identity("somebody else"));
  server_->turn_until([&] { return foreign->done; });
  EXPECT_EQ(foreign->response.status, 404) << "a session id is not authentication";
  auto odd = server_->http_request(
      "POST", {{"Content-Type", "application/json"}, {"Mcp-Session-Id", session}, {"MCP-Protocol-Version", "1999-01-01"}}, ping);
  EXPECT_EQ(odd->response.status, 400);
  auto ended = server_->http_request("DELETE", {{"Mcp-Session-Id", session}});
  server_->turn_until([&] { return ended->done; });
  EXPECT_EQ(ended->response.status, 200);
  auto after = server_->post(ping, session);
  server_->turn_until([&] { return after->done; });
  EXPECT_EQ(after->response.status, 404);
}

// reasoning-sessions D10: the most frequent complaint about existing servers.
TEST_F(HttpTransportTest, SessionSurvivesARestart) {
  std::string session = server_->initialize("2025-06-18");
  server_ = std::make_unique<TestServer>(shared_);
  offer(*server_);
  auto exchange = server_->post(
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"m":"again"}}})", session);
  server_->turn_until([&] { return exchange->done; });
  EXPECT_EQ(at(exchange->body(), "result", "content", 0, "text"), Json("again")) << exchange->response.body;
}

TEST_F(HttpTransportTest, LogLevelAndSubscriptionsSurviveARestart) {
  std::string session = server_->initialize();
  auto subscribe =
      server_->post(R"({"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"test://a"}})", session);
  server_->turn_until([&] { return subscribe->done; });
  server_ = std::make_unique<TestServer>(shared_);  // waits for the pool: what was answered is stored
  offer(*server_);
  auto stream = server_->http_request("GET", {{"Accept", "text/event-stream"}, {"Mcp-Session-Id", session}});
  server_->turn_until([&] { return stream->streaming; });
  server_->server.resource_updated("test://a");
  server_->server.resource_updated("test://b");
  server_->turn_until([&] { return !stream->messages().empty(); });
  EXPECT_EQ(stream->messages().size(), 1U);
  EXPECT_EQ(at(stream->messages()[0], "params", "uri"), Json("test://a"));
}

TEST_F(HttpTransportTest, ProgressTurnsTheAnswerIntoAStream) {
  std::string session = server_->initialize();
  std::string call = R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"steps","_meta":{"progressToken":"p"}}})";
  auto legacy = server_->post(call, session);
  server_->turn_until([&] { return legacy->done; });
  ASSERT_EQ(legacy->events.size(), 4U) << "priming, two notifications, the answer";
  EXPECT_TRUE(legacy->events[0].data.empty());
  EXPECT_FALSE(legacy->events[0].id.empty());
  EXPECT_EQ(at(legacy->messages()[1], "params", "progress"), Json(2.0));
  EXPECT_EQ(at(legacy->messages()[2], "id"), Json(3));

  auto modern = server_->http_request(
      "POST", modern_headers({{"Mcp-Name", "steps"}}),
      R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"steps","_meta":{"progressToken":5,"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}})");
  server_->turn_until([&] { return modern->done; });
  ASSERT_EQ(modern->events.size(), 3U);
  for (const net::SseEvent& event : modern->events) EXPECT_TRUE(event.id.empty()) << "the modern era has no event ids";
  EXPECT_EQ(at(modern->messages()[0], "params", "progressToken"), Json(5));
}

TEST_F(HttpTransportTest, OldVersionsGetNoPrimingEvent) {
  std::string session = server_->initialize("2025-06-18");
  auto exchange = server_->post(
      R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"steps","_meta":{"progressToken":"p"}}})", session);
  server_->turn_until([&] { return exchange->done; });
  ASSERT_EQ(exchange->events.size(), 3U);
  EXPECT_FALSE(exchange->events[0].data.empty());
}

TEST_F(HttpTransportTest, ClosingAModernStreamCancelsClosingALegacyOneDoesNot) {
  auto modern = server_->modern("tools/call", "wait", R"("name":"wait",)");
  server_->turn_until([&] { return waiting_ == 1; });
  modern->leave();
  server_->turn_until([&] { return cancelled_ == 1; });
  EXPECT_FALSE(modern->done);

  std::string session = server_->initialize();
  auto legacy = server_->post(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}})", session);
  server_->turn_until([&] { return waiting_ == 2; });
  legacy->leave();
  auto cancel = server_->post(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1"}})", session);
  EXPECT_EQ(cancel->response.status, 202);
  EXPECT_EQ(cancelled_, 1) << "the id is 1, not \"1\"";
  server_->post(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})", session);
  server_->turn_until([&] { return cancelled_ == 2; });
}

TEST_F(HttpTransportTest, AStreamIsResumedInTheSameProcess) {
  std::string session = server_->initialize();
  auto post = server_->post(R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"later"}})", session);
  server_->turn_until([&] { return post->done; });
  ASSERT_FALSE(post->events.empty());
  EXPECT_TRUE(post->messages().empty()) << "the connection was released before the answer";
  EXPECT_EQ(post->events.back().retry_ms, 500);
  auto get = server_->http_request(
      "GET", {{"Accept", "text/event-stream"}, {"Mcp-Session-Id", session}, {"Last-Event-ID", post->events.back().id}});
  server_->turn_until([&] { return get->streaming; });
  EXPECT_FALSE(get->done);
  release_ = true;
  server_->turn_until([&] { return get->done; });
  ASSERT_EQ(get->messages().size(), 1U);
  EXPECT_EQ(at(get->messages()[0], "result", "content", 0, "text"), Json("came back"));

  // Asked again, after it is over: the store still has it (design 8.34).
  auto again = server_->http_request(
      "GET", {{"Accept", "text/event-stream"}, {"Mcp-Session-Id", session}, {"Last-Event-ID", post->events.back().id}});
  server_->turn_until([&] { return again->done; });
  EXPECT_EQ(again->messages(), get->messages());
  // And no longer after ten minutes, when nobody works on it any more.
  server_->turn_until([&] {
    const Pool::Counts counts = server_->pool.counts();
    return counts.queued == 0 && counts.idle == counts.threads;
  });
  shared_.clock.advance(10 * 60 * 1000);
  auto late = server_->http_request(
      "GET", {{"Accept", "text/event-stream"}, {"Mcp-Session-Id", session}, {"Last-Event-ID", post->events.back().id}});
  server_->turn_until([&] { return late->done; });
  EXPECT_EQ(late->response.status, 400);
}

TEST_F(HttpTransportTest, AStreamIsReplayedAfterARestartFromWhereTheClientWas) {
  std::string session = server_->initialize();
  auto post = server_->post(
      R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"steps","_meta":{"progressToken":"p"}}})", session);
  server_->turn_until([&] { return post->done; });
  server_ = std::make_unique<TestServer>(shared_);
  offer(*server_);
  auto get = server_->http_request(
      "GET", {{"Accept", "text/event-stream"}, {"Mcp-Session-Id", session}, {"Last-Event-ID", post->events[1].id}});
  server_->turn_until([&] { return get->done; });
  auto missed = post->messages();
  missed.erase(missed.begin());
  EXPECT_EQ(get->messages(), missed);
  ASSERT_EQ(get->events.size(), 2U);
  EXPECT_EQ(get->events[0].id, post->events[2].id);
}

TEST_F(HttpTransportTest, AskingALegacyClientOnTheCallsOwnStream) {
  std::string session = server_->initialize("2025-11-25", R"({"elicitation":{}})");
  auto post = server_->post(R"({"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"ask"}})", session);
  server_->turn_until([&] { return !post->messages().empty(); });
  Json question = post->messages()[0];
  EXPECT_EQ(at(question, "method"), Json("elicitation/create"));
  EXPECT_EQ(at(question, "params", "mode"), Json("form"));
  auto answer_with = [&](const std::string& result, const Json& id) {
    auto exchange = server_->post(R"({"jsonrpc":"2.0","id":)" + to_json(id) + R"(,"result":)" + result + "}", session);
    EXPECT_EQ(exchange->response.status, 202);
  };
  answer_with(R"({"action":"accept","content":{"n":5}})", at(question, "id"));
  server_->turn_until([&] { return post->messages().size() == 2; });  // does not fit the schema: asked again
  EXPECT_NE(at(post->messages()[1], "id"), at(question, "id"));
  answer_with(R"({"action":"accept","content":{"n":"Ada"}})", at(post->messages()[1], "id"));
  server_->turn_until([&] { return post->done; });
  EXPECT_EQ(at(post->messages()[2], "result", "content", 0, "text"), Json("Ada"));
}

TEST_F(HttpTransportTest, AClientThatCannotBeAskedIsTold) {
  std::string session = server_->initialize("2025-11-25", "{}");
  auto legacy = server_->post(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask"}})", session);
  server_->turn_until([&] { return legacy->done; });
  EXPECT_EQ(at(legacy->body(), "error", "code"), Json(-32602));
  auto modern = server_->modern("tools/call", "ask", R"("name":"ask",)");
  server_->turn_until([&] { return modern->done; });
  EXPECT_EQ(modern->response.status, 400);
  EXPECT_EQ(at(modern->body(), "error", "code"), Json(-32021));
  EXPECT_TRUE(at(modern->body(), "error", "data", "requiredCapabilities", "elicitation").is_object());
}

TEST_F(HttpTransportTest, BatchesBelongTo20250326Alone) {
  std::string batch =
      R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"m":"b"}}},{"jsonrpc":"2.0","method":"notifications/initialized"}])";
  std::string old = server_->initialize("2025-03-26");
  auto exchange = server_->post(batch, old);
  server_->turn_until([&] { return exchange->done; });
  ASSERT_TRUE(exchange->body().is_array()) << exchange->response.body;
  EXPECT_EQ(exchange->body().get_array().size(), 2U);
  std::string recent = server_->initialize("2025-06-18");
  EXPECT_EQ(server_->post(batch, recent)->response.status, 400);
  auto modern = server_->post("[" + std::string(kCall) + TestServer::envelope() + "}}]", old);
  EXPECT_EQ(modern->response.status, 400);
}

TEST_F(HttpTransportTest, TwoStandaloneStreamsOneMessage) {
  std::string session = server_->initialize();
  net::HttpHeaders headers{{"Accept", "text/event-stream"}, {"Mcp-Session-Id", session}};
  auto first = server_->http_request("GET", headers);
  auto second = server_->http_request("GET", headers);
  EXPECT_TRUE(first->done) << "the newest stream takes its place";
  server_->server.tools_changed();
  server_->turn_until([&] { return !second->messages().empty(); });
  EXPECT_TRUE(first->messages().empty());
  // Lost while the connection was away, found again on the next one.
  second->leave();
  server_->server.prompts_changed();
  std::string last = second->events.back().id;
  headers.emplace_back("Last-Event-ID", last);
  std::shared_ptr<FakeExchange> third;
  server_->turn_until([&] {
    if (third && !third->messages().empty()) return true;
    if (!third || third->done) third = server_->http_request("GET", headers);
    return !third->messages().empty();
  });
  EXPECT_EQ(at(third->messages()[0], "method"), Json("notifications/prompts/list_changed"));
}

}  // namespace
}  // namespace holdfast::mcp
