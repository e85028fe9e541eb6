// What a server asks of us, lists, and changes: over a wire in memory, and against our own server in both eras.

#include "mcp/client/client_inputs.h"
#include "mcp/client/test_client.h"

namespace holdfast::mcp {
namespace {

using namespace std::chrono_literals;

InputHandler answering(const std::string& json) {
  return [json](const JsonObject&, auto answer) { answer(parse_json(json).value().as_object()); };
}

class ClientQuestionsTest : public ::testing::Test {
 protected:
  Client& make(ClientHandlers handlers, bool modern, bool http = false, ClientOptions options = {}) {
    client_ = std::make_unique<Client>(std::move(options), std::move(handlers), loop_,
                                       [this, http]() -> Result<std::unique_ptr<ClientTransport>> {
                                         wire_ = std::make_shared<MemoryWire>();
                                         return std::make_unique<MemoryTransport>(wire_, loop_, http);
                                       });
    client_->connect([](Result<void>) {});
    loop_.run_ready();
    if (modern) {
      wire_->say(result_of(last(), kDiscovery));
    } else {
      wire_->say(error_of(last(), kNoSuchMethod));
      wire_->say(result_of(last(), kWelcome));
    }
    loop_.run_ready();
    return *client_;
  }
  const Json& last() { return wire_->sent.back(); }
  void say(const std::string& text) {
    wire_->say(text);
    loop_.run_ready();
  }

  ManualExecutor loop_;
  std::shared_ptr<MemoryWire> wire_;
  std::unique_ptr<Client> client_;
};

TEST_F(ClientQuestionsTest, LegacyRequestsAreAnsweredWhileACallIsUnderWay) {
  ClientHandlers handlers;
  handlers.roots = answering(R"({"roots":[{"uri":"file:///a"}]})");
  std::function<void(InputAnswer)> later;
  handlers.sampling = [&](const JsonObject&, auto answer) { later = answer; };
  make(handlers, false);
  Got<JsonObject> got;
  client_->call_tool("busy", {}, {}, got.take());
  const Json call = last();
  say(R"({"jsonrpc":"2.0","id":"s1","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}})");
  say(R"({"jsonrpc":"2.0","id":7,"method":"ping"})");
  EXPECT_EQ(last(), parse_json(R"({"jsonrpc":"2.0","id":7,"result":{}})").value());
  say(R"({"jsonrpc":"2.0","id":8,"method":"roots/list"})");
  EXPECT_EQ(last(), parse_json(R"({"jsonrpc":"2.0","id":8,"result":{"roots":[{"uri":"file:///a"}]}})").value());
  say(R"({"jsonrpc":"2.0","id":9,"method":"elicitation/create","params":{"message":"?"}})");
  EXPECT_EQ(at(last(), "error", "code"), Json(-32601)) << "no handler";
  later(JsonObject{{"model", "m"}});
  later(JsonObject{{"model", "twice"}});
  loop_.run_ready();
  EXPECT_EQ(last(), parse_json(R"({"jsonrpc":"2.0","id":"s1","result":{"model":"m"}})").value());
  say(result_of(call, "{}"));
  EXPECT_TRUE(got);
}

TEST_F(ClientQuestionsTest, OpenQuestionsAreAnsweredBeforeTheGoodbyeAndDroppedWithTheirConnection) {
  ClientHandlers handlers;
  std::function<void(InputAnswer)> later;
  handlers.roots = [&](const JsonObject&, auto answer) { later = answer; };
  make(handlers, false);
  say(R"({"jsonrpc":"2.0","id":1,"method":"roots/list"})");
  client_->close([] {});
  loop_.run_ready();
  EXPECT_EQ(at(last(), "error", "code"), Json(-32603)) << "a server that waits for us would not end";

  make(handlers, false);
  say(R"({"jsonrpc":"2.0","id":1,"method":"roots/list"})");
  const auto old = wire_;
  wire_->listener->on_lost(make_error(ErrorKind::unavailable, "gone"));
  loop_.run_ready();
  const std::size_t sent = wire_->sent.size();
  later(JsonObject{{"roots", JsonArray()}});
  loop_.run_ready();
  EXPECT_EQ(wire_->sent.size(), sent) << "not an answer to the new connection";
}

TEST_F(ClientQuestionsTest, FormsGetTheirDefaultsAndUndeclaredModesAreRefused) {
  ClientHandlers handlers;
  handlers.elicitation = answering(R"({"action":"accept","content":{"b":2}})");
  make(handlers, false);
  say(R"({"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object",)"
      R"("properties":{"a":{"type":"string","default":"x"},"b":{"type":"integer","default":1},"c":{"type":"string"}}}}})");
  EXPECT_EQ(at(last(), "result", "content"), parse_json(R"({"b":2,"a":"x"})").value());
  say(R"({"jsonrpc":"2.0","id":2,"method":"elicitation/create","params":{"mode":"url","message":"?","url":"https://x"}})");
  EXPECT_EQ(at(last(), "error", "code"), Json(-32602));
  JsonObject declined{{"action", "decline"}};
  fill_in_defaults(declined, parse_json(R"({"requestedSchema":{"properties":{"a":{"default":1}}}})").value().as_object());
  EXPECT_EQ(declined, (JsonObject{{"action", "decline"}}));
}

TEST_F(ClientQuestionsTest, ModernRoundsRepeatTheCallWithAnswersAndState) {
  ClientHandlers handlers;
  handlers.elicitation = answering(R"({"action":"accept","content":{"name":"Ada"}})");
  handlers.roots = answering(R"({"roots":[]})");
  make(handlers, true);
  Got<JsonObject> got;
  client_->call_tool("ask", {{"x", 1}}, {}, got.take());
  const Json first = last();
  say(result_of(first, R"({"resultType":"input_required","requestState":"s\u00e9 1","inputRequests":{)"
                       R"("a":{"method":"elicitation/create","params":{"message":"?"}},"b":{"method":"roots/list"}}})"));
  const Json second = last();
  EXPECT_NE(at(second, "id"), at(first, "id"));
  EXPECT_EQ(at(second, "params", "arguments"), at(first, "params", "arguments"));
  EXPECT_EQ(at(second, "params", "requestState"), Json("s\u00e9 1"));
  EXPECT_EQ(at(second, "params", "inputResponses"),
            parse_json(R"({"a":{"action":"accept","content":{"name":"Ada"}},"b":{"roots":[]}})").value());
  // Without a state none is sent, and old answers are not sent again.
  say(result_of(second, R"({"resultType":"input_required","inputRequests":{"c":{"method":"roots/list"}}})"));
  EXPECT_TRUE(at(last(), "params", "requestState").is_null());
  EXPECT_EQ(at(last(), "params", "inputResponses"), parse_json(R"({"c":{"roots":[]}})").value());
  say(result_of(last(), R"({"resultType":"complete","content":[]})"));
  ASSERT_TRUE(got && *got.result);
  client_->call_tool("ask", {}, {}, [](auto) {});
  EXPECT_TRUE(at(last(), "params", "inputResponses").is_null()) << "another request has nothing to do with it";
}

TEST_F(ClientQuestionsTest, RoundsThatCannotBeAnsweredOrNeverEndAreErrors) {
  ClientHandlers handlers;
  handlers.roots = answering(R"({"roots":[]})");
  make(handlers, true);
  const auto outcome = [&](const std::string& result) {
    Got<JsonObject> got;
    client_->call_tool("ask", {}, {}, got.take());
    for (int i = 0; i < 20 && !got; ++i) say(result_of(last(), result));
    return got && !*got.result ? got.error().error.message : "no error";
  };
  EXPECT_NE(outcome(R"({"resultType":"input_required","inputRequests":{"a":{"method":"evil/method"}}})").find("evil/method"),
            std::string::npos);
  EXPECT_NE(outcome(R"({"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}}})").find("10 rounds"),
            std::string::npos);
  EXPECT_NE(outcome(R"({"resultType":"input_required"})").find("asks for nothing"), std::string::npos);
  EXPECT_NE(outcome(R"({"resultType":"fancy"})").find("unknown type"), std::string::npos);
}

TEST_F(ClientQuestionsTest, AModernServerThatSendsRequestsIsNotAnswered) {
  ClientHandlers handlers;
  handlers.roots = answering(R"({"roots":[]})");
  make(handlers, true);
  const std::size_t sent = wire_->sent.size();
  say(R"({"jsonrpc":"2.0","id":1,"method":"roots/list"})");
  EXPECT_EQ(wire_->sent.size(), sent);
  EXPECT_EQ(client_->counts().bad_messages, 1U);
}

TEST_F(ClientQuestionsTest, ListsAreReadToTheirEndKeptAndReadAgainWhenTheyChanged) {
  std::vector<std::string> told;
  ClientHandlers handlers;
  handlers.on_list_changed = [&](std::string_view list) { told.emplace_back(list); };
  make(handlers, false);
  Got<std::shared_ptr<const ToolList>> first, meanwhile, again, changed;
  client_->list_tools(first.take());
  client_->list_tools(meanwhile.take());
  say(result_of(last(), R"({"tools":[{"name":"a"},{"no":"name"}],"nextCursor":""})"));
  EXPECT_EQ(at(last(), "params", "cursor"), Json("")) << "an empty cursor is one";
  say(result_of(last(), R"({"tools":[{"name":"b"},{"name":"a"}]})"));
  ASSERT_TRUE(first && meanwhile);
  EXPECT_EQ(first.value(), meanwhile.value());
  EXPECT_EQ(first.value()->tools.size(), 2U);
  const std::size_t sent = wire_->sent.size();
  client_->list_tools(again.take());
  loop_.run_ready();
  EXPECT_EQ(again.value(), first.value());
  EXPECT_EQ(wire_->sent.size(), sent) << "kept";
  say(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
  say(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
  client_->list_tools(changed.take());
  say(result_of(last(), R"({"tools":[{"name":"a"},{"name":"b"}]})"));
  EXPECT_EQ(changed.value()->hash, first.value()->hash) << "the same tools";
  loop_.advance(150ms);
  EXPECT_EQ(told, std::vector<std::string>{"tools"}) << "a burst is told once";
}

TEST_F(ClientQuestionsTest, AListThatNeverEndsIsCutAndOneThatCannotBeReadAgainIsUsedAsItWas) {
  make({}, false);
  Got<JsonArray> prompts;
  client_->list_prompts(prompts.take());
  say(result_of(last(), R"({"prompts":[{"name":"p"}],"nextCursor":"c"})"));
  say(result_of(last(), R"({"prompts":[{"name":"q"}],"nextCursor":"c"})"));
  ASSERT_TRUE(prompts);
  EXPECT_EQ(prompts.value().size(), 2U);

  ClientOptions options;
  options.list_timeout = 2ms;
  make({}, false, false, options);
  Got<std::shared_ptr<const ToolList>> good, stale;
  client_->list_tools(good.take());
  say(result_of(last(), R"({"tools":[{"name":"a"}]})"));
  say(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
  client_->list_tools(stale.take());
  loop_.advance(50ms);
  ASSERT_TRUE(stale && *stale.result);
  EXPECT_TRUE(stale.value()->stale);
  EXPECT_EQ(stale.value()->tools.size(), 1U);
}

TEST_F(ClientQuestionsTest, ModernListsAreGoodAsLongAsTheySay) {
  make({}, true);
  for (const auto& [ttl, kept] :
       {std::pair(R"("ttlMs":60000,)", true), std::pair(R"("ttlMs":-5,)", false), std::pair("", false)}) {
    client_->request("tools/list", {}, {}, [](auto) {});  // unrelated
    say(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
    Got<std::shared_ptr<const ToolList>> first, second;
    client_->list_tools(first.take());
    say(result_of(last(), R"({"resultType":"complete",)" + std::string(ttl) + R"("tools":[{"name":"a"}]})"));
    const std::size_t sent = wire_->sent.size();
    client_->list_tools(second.take());
    loop_.run_ready();
    EXPECT_EQ(wire_->sent.size() == sent, kept) << ttl;
    if (!kept) say(result_of(last(), R"({"tools":[]})"));
  }
}

TEST_F(ClientQuestionsTest, HeadersOfModernHttpFollowTheToolsSchema) {
  make({}, true, true);
  Got<JsonObject> got;
  client_->call_tool("t", {{"region", " eu"}, {"n", 3}, {"none", nullptr}}, {}, got.take());
  EXPECT_EQ(at(last(), "method"), Json("tools/list")) << "its headers are not known yet";
  const std::string schema =
      R"({"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"n":{"type":"integer","x-mcp-header":"N"},)"
      R"("none":{"type":"string","x-mcp-header":"None"}}})";
  say(result_of(last(), R"({"resultType":"complete","tools":[{"name":"bad","inputSchema":{"type":"object","properties":)"
                        R"({"x":{"type":"number","x-mcp-header":"X"}}}},{"name":"t","inputSchema":)" +
                            schema + "}]}"));
  const auto expected = std::vector<std::pair<std::string, std::string>>{{"MCP-Protocol-Version", "2026-07-28"},
                                                                         {"Mcp-Method", "tools/call"},
                                                                         {"Mcp-Name", "t"},
                                                                         {"Mcp-Param-Region", "=?base64?IGV1?="},
                                                                         {"Mcp-Param-N", "3"}};
  EXPECT_EQ(wire_->outgoing.back().headers, expected);
  wire_->status = 400;
  say(error_of(last(), R"({"code":-32020,"message":"Mcp-Param-Region"})"));
  EXPECT_EQ(at(last(), "method"), Json("tools/list")) << "the rules may have changed";
  say(result_of(last(), R"({"resultType":"complete","tools":[{"name":"t","inputSchema":{"type":"object"}}]})"));
  EXPECT_EQ(wire_->outgoing.back().headers.size(), 3U);
  say(error_of(last(), R"({"code":-32020,"message":"still"})"));
  EXPECT_EQ(got.error().rpc->code, -32020) << "looked at once, not for ever";
}

// ---- against our own server ----

class ClientAndServerTest : public ::testing::TestWithParam<Era> {
 protected:
  ClientAndServerTest() {
    for (int i = 0; i < 150; ++i)
      EXPECT_TRUE(server_.server.add_tool(simple_tool("t" + std::to_string(i), [](Call&) { return ToolResult::text(""); })));
    Tool echo = simple_tool("echo", [](Call& call) -> ToolReply {
      call.progress(1, 2, "half");
      return ToolResult::text(find_string(call.arguments(), "m").value_or(""));
    });
    EXPECT_TRUE(server_.server.add_tool(std::move(echo)));
    EXPECT_TRUE(server_.server.add_tool(simple_tool("ask", [](Call& call) -> ToolReply {
      const Answer* answer = call.ask("n", Question::form("?", {{"type", "object"},
                                                                {"properties", JsonObject{{"n", JsonObject{{"type", "string"}}}}},
                                                                {"required", JsonArray{"n"}}}));
      if (!answer) return InputRequired{};
      return ToolResult::text(answer->content() ? find_string(*answer->content(), "n").value_or("") : "declined");
    })));
    EXPECT_TRUE(server_.server.add_tool(simple_tool("wait", [this](Call& call) -> ToolReply {
      while (call.wait_for(1ms)) {
      }
      cancelled_ = true;
      return ToolResult::text("");
    })));
    ClientHandlers handlers;
    handlers.elicitation = answering(R"({"action":"accept","content":{"n":"Ada"}})");
    handlers.on_list_changed = [this](std::string_view list) { changed_ = list; };
    server_.server.add_resource({{"test://a", "a", {}, "a", "text/plain"}, [](Call&) -> ResourceReply {
                                   return ResourceResult{{text_contents("test://a", "text/plain", "A")}, 0, true};
                                 }});
    ClientOptions options;
    if (GetParam() == Era::legacy) options.only_version = Version::v2025_06_18;
    client_ = std::make_unique<Client>(
        options, std::move(handlers), server_.loop,
        [this]() -> Result<std::unique_ptr<ClientTransport>> { return std::make_unique<PipeTransport>(server_); });
    server_.server.bind_io_thread();
  }
  ~ClientAndServerTest() override {
    bool closed = false;
    client_->close([&] { closed = true; });
    server_.turn_until([&] { return closed; });
  }

  JsonObject call(const std::string& tool, JsonObject arguments = {}, CallOptions options = {}) {
    Got<JsonObject> got;
    client_->call_tool(tool, std::move(arguments), std::move(options), got.take());
    server_.turn_until([&] { return bool(got); });
    EXPECT_TRUE(*got.result) << got.error().error.message;
    return *got.result ? got.value() : JsonObject();
  }

  SharedState shared_;
  std::atomic<bool> cancelled_ = false;
  std::string changed_;
  TestServer server_{shared_};
  std::unique_ptr<Client> client_;
};

INSTANTIATE_TEST_SUITE_P(BothEras, ClientAndServerTest, ::testing::Values(Era::legacy, Era::modern),
                         [](const auto& era) { return era.param == Era::legacy ? "legacy" : "modern"; });

TEST_P(ClientAndServerTest, CallsListsQuestionsAndProgress) {
  std::vector<std::string> steps;
  CallOptions options;
  options.on_progress = [&](const Progress& progress) { steps.push_back(progress.message); };
  EXPECT_EQ(at(Json(call("echo", {{"m", "hello"}}, options)), "content", 0, "text"), Json("hello"));
  EXPECT_EQ(steps, std::vector<std::string>{"half"});
  EXPECT_EQ(client_->peer()->era(), GetParam());
  EXPECT_EQ(at(Json(call("ask")), "content", 0, "text"), Json("Ada"));
  Got<std::shared_ptr<const ToolList>> tools;
  client_->list_tools(tools.take());
  server_.turn_until([&] { return bool(tools); });
  EXPECT_EQ(tools.value()->tools.size(), 153U) << "more than a page";
  Got<JsonObject> ping;
  client_->ping({}, ping.take());
  server_.turn_until([&] { return bool(ping); });
  EXPECT_TRUE(*ping.result);
}

TEST_P(ClientAndServerTest, CancelledAndUnknownCalls) {
  Got<JsonObject> waiting, unknown;
  client_->connect([](Result<void>) {});
  const auto ticket = client_->call_tool("wait", {}, {}, waiting.take());
  client_->call_tool("nobody", {}, {}, unknown.take());
  server_.turn_until([&] { return bool(unknown); });
  EXPECT_EQ(unknown.error().rpc->code, -32602);
  EXPECT_EQ(unknown.error().outcome, Outcome::not_executed);
  client_->cancel(ticket);
  server_.turn_until([&] { return bool(waiting) && cancelled_; });
  EXPECT_EQ(waiting.error().error.kind, ErrorKind::cancelled);
}

TEST_P(ClientAndServerTest, ChangedListsAreNoticed) {
  call("echo");
  server_.server.tools_changed();
  server_.turn_until([&] { return changed_ == "tools"; });
}

}  // namespace
}  // namespace holdfast::mcp
