// The client over a wire in memory: the test is the server.

#include "mcp/client/test_client.h"

#include <gmock/gmock.h>

namespace holdfast::mcp {
namespace {

using namespace std::chrono_literals;

class ClientTest : public ::testing::Test {
 protected:
  Client& make(ClientOptions options = {}, ClientHandlers handlers = {}, bool http = false) {
    client_ = std::make_unique<Client>(std::move(options), std::move(handlers), loop_,
                                       [this, http]() -> Result<std::unique_ptr<ClientTransport>> {
                                         if (refuse_) return fail(ErrorKind::not_found, "no such program");
                                         wires_.push_back(std::make_shared<MemoryWire>());
                                         wires_.back()->awaits_permission = asks_person_;
                                         return std::make_unique<MemoryTransport>(wires_.back(), loop_, http);
                                       });
    return *client_;
  }
  void turn() { loop_.run_ready(); }
  template <class Condition>
  void turn_until(Condition condition) {
    for (int i = 0; i < 60'000 && !condition(); ++i) loop_.advance(1ms);
    EXPECT_TRUE(condition()) << "waited in vain";
  }
  MemoryWire& wire() { return *wires_.back(); }
  const Json& last() { return wire().sent.back(); }
  std::string method_of(const Json& message) { return std::string(view(at(message, "method").as_string())); }

  void become_modern() {
    turn();
    ASSERT_EQ(at(last(), "method"), Json("server/discover"));
    wire().say(result_of(last(), kDiscovery));
    turn();
  }
  void become_legacy() {
    turn();
    if (at(last(), "method") == Json("server/discover")) wire().say(error_of(last(), kNoSuchMethod));
    turn();
    ASSERT_EQ(at(last(), "method"), Json("initialize"));
    wire().say(result_of(last(), kWelcome));
    turn();
  }
  void lose(const std::string& why) {
    wire().listener->on_lost(make_error(ErrorKind::unavailable, why));
    turn();
  }

  bool refuse_ = false;
  bool asks_person_ = false;
  ManualExecutor loop_;
  std::vector<std::shared_ptr<MemoryWire>> wires_;
  std::unique_ptr<Client> client_;
};

TEST_F(ClientTest, NothingTimesOutWhileAPersonIsAsked) {
  ClientOptions options;
  options.probe_timeout = options.connect_timeout = 1ms;
  asks_person_ = true;
  make(options, {}, true);
  Got<JsonObject> got;
  client_->request("x", {}, {}, got.take());
  turn_until([&] { return !wires_.empty() && wire().looked_at > 20; });
  EXPECT_EQ(wires_.size(), 1U);
  EXPECT_EQ(wire().sent.size(), 1U);  // still the probe
  EXPECT_FALSE(got);
  wire().awaits_permission = false;
  turn_until([&] { return bool(got); });
  EXPECT_EQ(got.error().error.kind, ErrorKind::unavailable);
}

TEST_F(ClientTest, AModernServerIsProbedOnceAndEveryRequestDescribesItself) {
  make();
  Got<JsonObject> got;
  client_->call_tool("t", {{"a", 1}}, {}, got.take());
  become_modern();
  const Json call = last();
  EXPECT_EQ(at(call, "method"), Json("tools/call"));
  EXPECT_EQ(at(call, "params", "_meta", "io.modelcontextprotocol/protocolVersion"), Json("2026-07-28"));
  EXPECT_TRUE(at(call, "params", "_meta", "io.modelcontextprotocol/clientCapabilities").is_object());
  EXPECT_EQ(at(call, "params", "_meta", "io.modelcontextprotocol/clientInfo", "name"), Json("holdfast"));
  wire().say(result_of(call, R"({"content":[]})"));  // without resultType: complete
  turn();
  ASSERT_TRUE(got && *got.result);
  EXPECT_EQ(client_->peer()->era(), Era::modern);
  EXPECT_EQ(client_->peer()->info.at("name"), Json("m"));
}

TEST_F(ClientTest, ALegacyServerGetsTheHandshakeOnTheSameConnection) {
  ClientHandlers handlers;
  handlers.roots = [](const JsonObject&, auto answer) { answer(JsonObject{{"roots", JsonArray()}}); };
  make({}, handlers);
  Got<JsonObject> got;
  client_->request("tools/list", {}, {}, got.take());
  become_legacy();
  ASSERT_EQ(wires_.size(), 1U);
  EXPECT_EQ(at(wire().sent[1], "params", "capabilities", "roots", "listChanged"), Json(true));
  EXPECT_EQ(at(wire().sent[2], "method"), Json("notifications/initialized"));
  EXPECT_TRUE(at(last(), "params").is_null()) << "nothing modern in a legacy request";
  wire().say(result_of(last(), R"({"tools":[]})"));
  turn();
  EXPECT_TRUE(got && *got.result);
}

TEST_F(ClientTest, AServerThatDiesOfTheProbeIsStartedAgainAndInitialized) {
  make();
  client_->connect([](Result<void>) {});
  turn();
  lose("exit code 1");
  ASSERT_EQ(wires_.size(), 2U);
  EXPECT_EQ(at(last(), "method"), Json("initialize"));
}

TEST_F(ClientTest, SilenceToTheProbeMeansLegacy) {
  ClientOptions options;
  options.probe_timeout = 1ms;
  make(options);
  client_->connect([](Result<void>) {});
  turn_until([&] { return !wires_.empty() && wire().sent.size() == 2; });
  EXPECT_EQ(at(last(), "method"), Json("initialize"));
  EXPECT_EQ(wire().abandoned, std::vector<RequestId>{1});
}

TEST_F(ClientTest, OnlyWhatProvesItMakesAServerModern) {
  struct Case {
    const char* what;
    const char* error;
    bool http;
    int status;
    const char* next;  // method that follows
  };
  for (const Case& c : {
           Case{"listed version", R"({"code":-32022,"message":"","data":{"supported":["2026-07-28"]}})", false, 0,
                "server/discover"},
           Case{"no version of ours", R"({"code":-32022,"message":"","data":{"supported":["2099-01-01"]}})", false, 0,
                "initialize"},
           Case{"no list", R"({"code":-32022,"message":""})", false, 0, "initialize"},
           Case{"header mismatch on a pipe", R"({"code":-32020,"message":""})", false, 0, "initialize"},
           Case{"header mismatch over HTTP", R"({"code":-32020,"message":""})", true, 400, "ping"},
           Case{"capability over HTTP", R"({"code":-32021,"message":""})", true, 400, "ping"},
           Case{"the same with 200", R"({"code":-32021,"message":""})", true, 200, "initialize"},
           Case{"vendor code", R"({"code":-32001,"message":""})", true, 400, "initialize"},
           Case{"bad params", R"({"code":-32602,"message":""})", true, 400, "initialize"},
       }) {
    SCOPED_TRACE(c.what);
    make({}, {}, c.http);
    client_->request("ping", {}, {}, [](auto) {});
    turn();
    wire().status = c.status;
    wire().say(error_of(last(), c.error));
    turn();
    EXPECT_EQ(method_of(last()), c.next);
  }
}

TEST_F(ClientTest, AVersionWeDoNotSpeakEndsTheAttempt) {
  make();
  std::optional<Result<void>> connected;
  client_->connect([&](Result<void> result) { connected = result; });
  turn();
  wire().say(error_of(last(), kNoSuchMethod));
  turn();
  wire().say(result_of(last(), R"({"protocolVersion":"1999-01-01","capabilities":{},"serverInfo":{}})"));
  turn();
  ASSERT_TRUE(connected && !*connected);
  EXPECT_NE(connected->error().message.find("1999-01-01"), std::string::npos);
  EXPECT_EQ(client_->state(), ClientState::failed);
  EXPECT_TRUE(wire().closed);
}

TEST_F(ClientTest, AnswersFindTheirCallsInAnyOrder) {
  make();
  std::vector<Got<JsonObject>> got(128);
  for (int i = 0; i < 128; ++i)
    client_->request("resources/read", {{"uri", std::to_string(i)}}, {}, got[static_cast<std::size_t>(i)].take());
  become_legacy();
  ASSERT_EQ(client_->in_flight(), 128U);
  std::vector<Json> calls(wire().sent.end() - 128, wire().sent.end());
  std::ranges::reverse(calls);
  for (const Json& call : calls) wire().say(result_of(call, R"({"uri":)" + to_json(at(call, "params", "uri")) + "}"));
  turn();
  for (int i = 0; i < 128; ++i) {
    ASSERT_TRUE(got[static_cast<std::size_t>(i)]);
    EXPECT_EQ(got[static_cast<std::size_t>(i)].value().at("uri"), Json(std::to_string(i)));
  }
  EXPECT_EQ(client_->in_flight(), 0U);
}

TEST_F(ClientTest, ACallThatTimesOutIsCancelledAndItsLateAnswerIgnored) {
  make();
  Got<JsonObject> got;
  CallOptions options;
  options.timeout = 5ms;
  client_->connect([](Result<void>) {});
  become_legacy();
  client_->call_tool("slow", {}, options, got.take());
  turn();
  const Json call = last();
  turn_until([&] { return bool(got); });
  EXPECT_EQ(got.error().error.kind, ErrorKind::timeout);
  EXPECT_EQ(got.error().outcome, Outcome::unknown);
  EXPECT_EQ(at(last(), "method"), Json("notifications/cancelled"));
  EXPECT_EQ(at(last(), "params", "requestId"), at(call, "id"));
  wire().say(result_of(call, "{}"));
  turn();
  EXPECT_EQ(client_->counts().late_answers, 1U);
  EXPECT_EQ(client_->state(), ClientState::ready) << "the connection stays";
}

TEST_F(ClientTest, ProgressKeepsACallAliveUntilItsLimit) {
  make();
  client_->connect([](Result<void>) {});
  become_legacy();
  Got<JsonObject> got;
  std::vector<double> seen;
  CallOptions options;
  options.timeout = 40ms;
  options.limit = 150ms;
  options.on_progress = [&](const Progress& progress) { seen.push_back(progress.progress); };
  const auto began = loop_.now();
  client_->call_tool("slow", {}, options, got.take());
  turn();
  const std::string token = to_json(at(last(), "params", "_meta", "progressToken"));
  turn_until([&] {
    if (!got)
      wire().say(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)" + token +
                 R"(,"progress":1,"total":2}})");
    return bool(got);
  });
  EXPECT_EQ(got.error().error.kind, ErrorKind::timeout);
  EXPECT_GE(loop_.now() - began, 150ms) << "the limit ended it, not the silence";
  EXPECT_FALSE(seen.empty());
}

TEST_F(ClientTest, CancellingOverModernHttpClosesTheStreamAndSaysNothing) {
  make({}, {}, true);
  client_->connect([](Result<void>) {});
  become_modern();
  Got<JsonObject> got;
  const auto ticket = client_->request("resources/read", {{"uri", "x"}}, {}, got.take());
  turn();
  const std::size_t sent = wire().sent.size();
  client_->cancel(ticket);
  client_->cancel(ticket);
  turn();
  EXPECT_EQ(got.error().error.kind, ErrorKind::cancelled);
  EXPECT_EQ(wire().sent.size(), sent);
  EXPECT_EQ(wire().abandoned.size(), 1U);
}

TEST_F(ClientTest, ALostCallIsNotRepeatedUnlessItIsHarmless) {
  make();
  client_->connect([](Result<void>) {});
  become_legacy();
  client_->list_tools([](auto) {});
  turn();
  wire().say(result_of(last(), R"({"tools":[{"name":"read","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},)"
                               R"({"name":"write","inputSchema":{"type":"object"}}]})"));
  turn();
  Got<JsonObject> reading, writing, waiting;
  client_->call_tool("read", {}, {}, reading.take());
  client_->call_tool("write", {}, {}, writing.take());
  turn();
  lose("exit code 9; it said: oh no");
  ASSERT_TRUE(writing);
  EXPECT_EQ(writing.error().outcome, Outcome::unknown);
  EXPECT_EQ(writing.error().error.code, "connection_lost");
  EXPECT_NE(writing.error().error.message.find("oh no"), std::string::npos);
  EXPECT_EQ(client_->state(), ClientState::reconnecting);
  client_->call_tool("write", {{"n", 2}}, {}, waiting.take());
  turn_until([&] { return wires_.size() == 2; });
  become_legacy();
  EXPECT_FALSE(reading);
  EXPECT_EQ(client_->in_flight(), 2U) << "the harmless one again, and the one that waited";
  for (const Json& message : std::vector<Json>(wire().sent))
    if (at(message, "method") == Json("tools/call")) wire().say(result_of(message, R"({"content":[]})"));
  turn();
  EXPECT_TRUE(*reading.result && *waiting.result);
  EXPECT_EQ(client_->counts().repeated, 1U);
}

TEST_F(ClientTest, AServerThatCannotBeReachedFailsAtOnceAndIsTriedAgainWithTheNextUse) {
  make();
  refuse_ = true;
  Got<JsonObject> first, second;
  client_->call_tool("t", {}, {}, first.take());
  turn();
  ASSERT_TRUE(first);
  EXPECT_EQ(first.error().outcome, Outcome::not_executed);
  EXPECT_NE(first.error().error.message.find("no such program"), std::string::npos);
  EXPECT_EQ(client_->state(), ClientState::failed);
  refuse_ = false;
  client_->call_tool("t", {}, {}, second.take());
  become_legacy();
  EXPECT_EQ(client_->state(), ClientState::ready);
  EXPECT_EQ(at(last(), "method"), Json("tools/call"));
}

TEST_F(ClientTest, TooLargeARequestIsRefusedHere) {
  make();
  client_->connect([](Result<void>) {});
  become_legacy();
  Got<JsonObject> got;
  client_->call_tool("t", {{"text", std::string(9 << 20, 'x')}}, {}, got.take());
  turn();
  EXPECT_EQ(got.error().error.kind, ErrorKind::too_large);
  EXPECT_EQ(got.error().outcome, Outcome::not_executed);
}

TEST_F(ClientTest, BatchesBadMessagesAndStrangersAreSurvived) {
  make();
  client_->connect([](Result<void>) {});
  become_legacy();
  Got<JsonObject> one, two;
  client_->request("ping", {}, {}, one.take());
  client_->request("ping", {}, {}, two.take());
  turn();
  const Json second = last(), first = wire().sent[wire().sent.size() - 2];
  wire().say("[" + result_of(second, "{}") + "," + result_of(first, "{}") + R"(,5,{"jsonrpc":"2.0"}])");
  wire().say(R"({"jsonrpc":"2.0","id":"stranger","result":{}})");
  wire().say(R"({"jsonrpc":"2.0","method":"notifications/unheard/of"})");
  turn();
  EXPECT_TRUE(one && two);
  EXPECT_EQ(client_->counts().bad_messages, 2U);
  EXPECT_EQ(client_->counts().late_answers, 1U);
}

TEST_F(ClientTest, ClosingFailsWhatWaitsAndNothingStartsAfterIt) {
  make();
  client_->connect([](Result<void>) {});
  become_legacy();
  Got<JsonObject> got, after;
  client_->call_tool("t", {}, {}, got.take());
  turn();
  bool closed = false;
  client_->close([&] { closed = true; });
  client_->call_tool("t", {}, {}, after.take());
  turn();
  EXPECT_TRUE(closed && wire().closed);
  EXPECT_EQ(got.error().error.kind, ErrorKind::cancelled);
  EXPECT_EQ(after.error().error.kind, ErrorKind::cancelled);
  EXPECT_EQ(client_->state(), ClientState::closed);
}

TEST_F(ClientTest, AServerThatDiesAfterEachHandshakeIsNotStartedForEver) {
  make();
  client_->connect([](Result<void>) {});
  become_legacy();
  std::vector<std::chrono::milliseconds> delays;
  for (std::size_t connections = 2; connections <= 4; ++connections) {
    const auto began = loop_.now();
    lose("again");
    turn_until([&] { return wires_.size() == connections; });
    delays.push_back(loop_.now() - began);
    become_legacy();
  }
  EXPECT_LE(delays[0], 1ms);
  EXPECT_THAT(delays[1], ::testing::AllOf(::testing::Ge(400ms), ::testing::Le(601ms)));
  EXPECT_THAT(delays[2], ::testing::AllOf(::testing::Ge(800ms), ::testing::Le(1201ms)));
  Got<JsonObject> got;
  client_->request("ping", {}, {}, got.take());
  turn();
  wire().say(result_of(last(), "{}"));
  turn();
  lose("after an answer");
  const auto proven = loop_.now();
  turn_until([&] { return wires_.size() == 5; });
  EXPECT_LE(loop_.now() - proven, 1ms) << "the count began anew";
  become_legacy();
  for (std::size_t connections = 6; connections <= 9; ++connections) {
    lose("for ever");
    turn_until([&] { return wires_.size() == connections; });
    become_legacy();
  }
  lose("once too often");
  loop_.advance(60s);
  EXPECT_EQ(client_->state(), ClientState::failed);
  EXPECT_EQ(wires_.size(), 9U) << "five attempts";
}

TEST_F(ClientTest, AServerThatDoesNotAnswerPingIsLost) {
  ClientOptions options;
  options.keep_alive = 5ms;
  make(options);
  client_->connect([](Result<void>) {});
  become_legacy();
  turn_until([&] { return at(last(), "method") == Json("ping"); });
  wire().say(result_of(last(), "{}"));
  turn_until([&] { return wires_.size() == 2; });
  EXPECT_EQ(client_->counts().timeouts, 1U);
}

TEST_F(ClientTest, ADeadClientAnswersNobody) {
  make();
  bool answered = false;
  client_->call_tool("t", {}, {}, [&](auto) { answered = true; });
  become_legacy();
  wire().say(result_of(last(), "{}"));
  client_.reset();
  turn();
  EXPECT_FALSE(answered);
}

}  // namespace
}  // namespace holdfast::mcp
