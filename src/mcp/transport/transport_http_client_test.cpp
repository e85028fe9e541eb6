// Our client and our server over real sockets, in both eras; and servers that break streams, sessions and answers.

#include "mcp/transport/transport_http_client.h"

#include "mcp/client/blocking_client.h"
#include "mcp/server/test_server.h"
#include "net/http/http_server.h"
#include "net/http/test_http_client.h"
#include "net/run/event_loop.h"

#include <atomic>
#include <future>
#include <mutex>
#include <thread>

namespace holdfast::mcp {
namespace {

using namespace std::chrono_literals;

// An HTTP server on a thread of its own, in whose way a test may stand.
class HttpPeer {
 public:
  using Handler = std::function<void(std::shared_ptr<net::HttpExchange>)>;

  explicit HttpPeer(Handler handler)
      : http_({}, net::admitting([this, handler = std::move(handler)](auto exchange) {
                {
                  const std::lock_guard lock(mutex_);
                  seen_.push_back(exchange->request());
                  if (exchange->request().method == refused_method_) return exchange->respond(refusal_);
                }
                handler(std::move(exchange));
              })) {
    port_ = http_.listen("127.0.0.1", 0).value();
  }
  ~HttpPeer() { end(); }
  void begin(std::function<void()> first = {}) {
    std::promise<void> begun;
    thread_ = std::thread([&, first = std::move(first)] {
      if (first) first();
      begun.set_value();
      http_.run();
    });
    begun.get_future().wait();
  }
  void end() {
    if (!thread_.joinable()) return;
    http_.stop();
    thread_.join();
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/mcp"; }
  std::vector<net::HttpRequest> seen() {
    const std::lock_guard lock(mutex_);
    return seen_;
  }
  std::size_t count(std::string_view method) {
    return static_cast<std::size_t>(std::ranges::count_if(seen(), [&](const auto& request) { return request.method == method; }));
  }
  void refuse_method(std::string method, net::HttpResponse refusal) {
    const std::lock_guard lock(mutex_);
    refused_method_ = std::move(method);
    refusal_ = std::move(refusal);
  }
  net::HttpServer& http() { return http_; }

 private:
  std::mutex mutex_;
  std::vector<net::HttpRequest> seen_;
  std::string refused_method_;
  net::HttpResponse refusal_;
  net::HttpServer http_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

template <class Condition>
bool eventually(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + 10s;
  while (!condition() && std::chrono::steady_clock::now() < deadline) std::this_thread::sleep_for(1ms);
  return condition();
}

std::string text_of(const CallResult<JsonObject>& result) {
  if (!result) return "error: " + result.error().error.message;
  return std::string(view(at(Json(*result), "content", 0, "text").as_string()));
}

// ---- our own server ----

class HttpBothErasTest : public ::testing::TestWithParam<Era> {
 protected:
  HttpBothErasTest()
      : peer_([this](auto exchange) {
          if (const auto forgotten = std::exchange(refuse_next_, std::nullopt)) return exchange->respond(*forgotten);
          transport_->handle(std::move(exchange), local_identity());
        }),
        server_(TestServer::options(), peer_.http().executor(), pool_, shared_.clock, shared_.store),
        transport_(std::make_unique<HttpTransport>(server_)) {
    EXPECT_TRUE(server_.open());
    offer();
    peer_.begin([this] { server_.bind_io_thread(); });
    ClientHandlers handlers;
    handlers.elicitation = [](const JsonObject&, auto answer) {
      answer(parse_json(R"({"action":"accept","content":{"n":"Ada"}})").value().as_object());
    };
    handlers.on_list_changed = [this](std::string_view) { ++changes_; };
    ClientOptions options;
    if (GetParam() == Era::legacy) options.only_version = Version::v2025_11_25;
    client_ = std::make_unique<BlockingClient>(loop_.loop(), options, handlers,
                                               http_transport_maker(loop_.loop(), {peer_.url(), {{"X-Who", "me"}}, true}));
  }
  ~HttpBothErasTest() override {
    client_.reset();
    release_ = true;
    pool_.close();
    peer_.end();
    transport_.reset();
  }

  void offer() {
    const auto add = [this](const char* name, std::function<ToolReply(Call&)> handler) {
      Tool tool = simple_tool(name, std::move(handler));
      tool.input_schema = {{"type", "object"},
                           {"properties", JsonObject{{"m", JsonObject{{"type", "string"}, {"x-mcp-header", "M"}}}}}};
      EXPECT_TRUE(server_.add_tool(std::move(tool)));
    };
    add("echo", [](Call& call) -> ToolReply { return ToolResult::text(find_string(call.arguments(), "m").value_or("")); });
    add("steps", [](Call& call) -> ToolReply {
      call.progress(1, 2, "one");
      call.progress(2, 2, "two");
      return ToolResult::text("done");
    });
    add("ask", [](Call& call) -> ToolReply {
      const Answer* answer = call.ask("n", Question::form("?", {{"type", "object"},
                                                                {"properties", JsonObject{{"n", JsonObject{{"type", "string"}}}}},
                                                                {"required", JsonArray{"n"}}}));
      if (!answer) return InputRequired{};
      return ToolResult::text(answer->content() ? find_string(*answer->content(), "n").value_or("") : "declined");
    });
    add("wait", [this](Call& call) -> ToolReply {
      ++waiting_;
      while (!release_ && call.wait_for(1ms)) {
      }
      if (call.cancelled()) ++cancelled_;
      return ToolResult::text("released");
    });
    add("later", [this](Call& call) -> ToolReply {
      call.release_connection();
      ++waiting_;
      while (!release_ && call.wait_for(1ms)) {
      }
      return ToolResult::text("came back");
    });
  }

  std::atomic<bool> release_ = false;
  std::optional<net::HttpResponse> refuse_next_;  // on the server's thread
  std::atomic<int> waiting_ = 0, cancelled_ = 0, changes_ = 0;
  SharedState shared_;
  Pool pool_;
  HttpPeer peer_;
  Server server_;
  std::unique_ptr<HttpTransport> transport_;
  net::LoopThread loop_;
  std::unique_ptr<BlockingClient> client_;
};

INSTANTIATE_TEST_SUITE_P(BothEras, HttpBothErasTest, ::testing::Values(Era::legacy, Era::modern),
                         [](const auto& era) { return era.param == Era::legacy ? "legacy" : "modern"; });

TEST_P(HttpBothErasTest, CallsListsProgressAndQuestions) {
  EXPECT_EQ(text_of(client_->call_tool("echo", {{"m", "grüße"}})), "grüße");
  std::vector<std::string> steps;
  CallOptions options;
  options.on_progress = [&](const Progress& progress) { steps.push_back(progress.message); };
  EXPECT_EQ(text_of(client_->call_tool("steps", {}, options)), "done");
  EXPECT_EQ(steps, (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(text_of(client_->call_tool("ask", {})), "Ada");
  EXPECT_EQ(client_->tools().value()->tools.size(), 5U);
  EXPECT_TRUE(client_->ping());
  EXPECT_EQ(client_->peer()->era(), GetParam());
  for (const net::HttpRequest& request : peer_.seen()) {
    ASSERT_TRUE(request.header("X-Who"));
    EXPECT_EQ(request.header("Mcp-Method") != nullptr, GetParam() == Era::modern) << request.body;
    const bool needs_version = request.body.find("\"initialize\"") == std::string::npos;
    EXPECT_EQ(request.header("MCP-Protocol-Version") != nullptr, needs_version) << request.body;
    EXPECT_EQ(request.header("Mcp-Session-Id") != nullptr, needs_version && GetParam() == Era::legacy);
  }
}

TEST_P(HttpBothErasTest, ManyCallsAtOnceAreAnsweredEachWithItsOwn) {
  ASSERT_TRUE(client_->connect());
  std::atomic<int> good = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 128; ++i)
    threads.emplace_back(
        [&, i] { good += text_of(client_->call_tool("echo", {{"m", std::to_string(i)}})) == std::to_string(i); });
  threads.clear();
  EXPECT_EQ(good, 128);
}

TEST_P(HttpBothErasTest, CancellingReachesTheServer) {
  std::stop_source stop;
  std::jthread canceller([&] {
    EXPECT_TRUE(eventually([&] { return waiting_ == 1; }));
    stop.request_stop();
  });
  EXPECT_EQ(client_->call_tool("wait", {}, {}, stop.get_token()).error().error.kind, ErrorKind::cancelled);
  EXPECT_TRUE(eventually([&] { return cancelled_ == 1; }));
}

TEST_P(HttpBothErasTest, ChangesAreTold) {
  ASSERT_TRUE(client_->tools());
  EXPECT_TRUE(eventually([&] { return GetParam() == Era::legacy ? peer_.count("GET") > 0 : peer_.count("POST") > 2; }));
  EXPECT_TRUE(eventually([&] {
    server_.tools_changed();
    return changes_ > 0;
  }));
}

TEST_P(HttpBothErasTest, TheGoodbyeEndsALegacySession) {
  ASSERT_TRUE(client_->connect());
  client_->close();
  EXPECT_EQ(peer_.count("DELETE"), GetParam() == Era::legacy ? 1U : 0U);
}

// The modern era has neither sessions nor streams that are resumed.
class HttpLegacyTest : public HttpBothErasTest {};
INSTANTIATE_TEST_SUITE_P(Legacy, HttpLegacyTest, ::testing::Values(Era::legacy));

TEST_P(HttpLegacyTest, ASessionThatWasForgottenIsBegunAnewAndTheCallGoesThrough) {
  EXPECT_EQ(text_of(client_->call_tool("echo", {{"m", "1"}})), "1");
  std::size_t connections = 1;
  for (const net::HttpResponse& forgotten :
       {net::HttpResponse{404, {}, "no such session"},
        net::HttpResponse{400, {}, R"({"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request"},"id":null})"}}) {
    ASSERT_TRUE(eventually([&] { return peer_.count("GET") == connections; }));
    peer_.http().executor().post([&] { refuse_next_ = forgotten; });
    EXPECT_EQ(text_of(client_->call_tool("echo", {{"m", "2"}})), "2");
    EXPECT_EQ(client_->counts().connections, ++connections);
  }
}

TEST_P(HttpLegacyTest, AServerWithoutAStandAloneStreamIsNotTakenForOneThatForgot) {
  peer_.refuse_method("GET", {404, {}, "no such page"});
  EXPECT_EQ(text_of(client_->call_tool("echo", {{"m", "1"}})), "1");
  ASSERT_TRUE(eventually([&] { return peer_.count("GET") == 1; }));
  EXPECT_EQ(text_of(client_->call_tool("echo", {{"m", "2"}})), "2");
  EXPECT_EQ(client_->counts().connections, 1U);
}

TEST_P(HttpLegacyTest, AStreamThatTheServerReleasedIsResumed) {
  std::jthread releaser([&] {
    EXPECT_TRUE(eventually([&] { return waiting_ == 1; }));
    release_ = true;
  });
  EXPECT_EQ(text_of(client_->call_tool("later", {})), "came back");
  const auto seen = peer_.seen();
  EXPECT_TRUE(std::ranges::any_of(seen, [](const auto& request) { return request.header("Last-Event-ID") != nullptr; }));
}

// ---- servers that misbehave ----

class HttpTroubleTest : public ::testing::Test {
 protected:
  // A modern server that answers tools/call as the test wants.
  void serve(std::function<void(std::shared_ptr<net::HttpExchange>, const Json& request)> call) {
    peer_ = std::make_unique<HttpPeer>([call = std::move(call)](std::shared_ptr<net::HttpExchange> exchange) {
      const Json request = parse_json(exchange->request().body).value_or(nullptr);
      const auto answer = [&](const std::string& result) {
        exchange->respond({200,
                           {{"Content-Type", "application/json"}},
                           R"({"jsonrpc":"2.0","id":)" + to_json(at(request, "id")) + R"(,"result":)" + result + "}"});
      };
      if (at(request, "method") == Json("server/discover"))
        return answer(
            R"({"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},"ttlMs":0,"cacheScope":"public"})");
      if (at(request, "method") == Json("tools/list")) return answer(R"({"resultType":"complete","tools":[{"name":"t"}]})");
      call(exchange, request);
    });
    peer_->begin();
    client_ = std::make_unique<BlockingClient>(loop_.loop(), ClientOptions{}, ClientHandlers{},
                                               http_transport_maker(loop_.loop(), {peer_->url(), {}, true}));
  }
  CallError call_fails() {
    auto result = client_->call_tool("t", {});
    EXPECT_FALSE(result);
    return result ? CallError{} : result.error();
  }
  ~HttpTroubleTest() override { client_.reset(); }

  net::LoopThread loop_;
  std::unique_ptr<HttpPeer> peer_;
  std::unique_ptr<BlockingClient> client_;
};

TEST_F(HttpTroubleTest, AStreamCutInTheMiddleLosesTheCallAndIsNotRepeated) {
  std::atomic<int> calls = 0;
  serve([&](auto exchange, const Json&) {
    ++calls;
    exchange->start_stream(200, {{"Content-Type", "text/event-stream"}});
    exchange->write("id: 1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\n\n");
    exchange->end();
  });
  const CallError lost = call_fails();
  EXPECT_EQ(lost.outcome, Outcome::unknown);
  EXPECT_EQ(lost.error.code, "connection_lost");
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(peer_->count("GET"), 0U) << "the modern era resumes nothing";
}

TEST_F(HttpTroubleTest, StatusesAndBodiesThatAreNoAnswers) {
  std::mutex mutex;
  net::HttpResponse response;
  serve([&](auto exchange, const Json&) {
    const std::lock_guard lock(mutex);
    exchange->respond(response);
  });
  const auto answer_with = [&](int status, net::HttpHeaders headers, std::string body) {
    const std::lock_guard lock(mutex);
    response = {status, std::move(headers), std::move(body)};
  };
  answer_with(500, {}, "<h1>Oops</h1>");
  EXPECT_EQ(call_fails().outcome, Outcome::unknown);
  answer_with(413, {}, "too much");
  EXPECT_EQ(call_fails().outcome, Outcome::not_executed);
  answer_with(401, {{"WWW-Authenticate", "Bearer"}}, "");
  EXPECT_EQ(call_fails().error.kind, ErrorKind::unauthorised);
  answer_with(200, {{"Content-Type", "application/json"}}, "{broken");
  EXPECT_EQ(call_fails().outcome, Outcome::unknown);
  answer_with(200, {{"Content-Type", "application/json"}}, R"({"jsonrpc":"2.0","id":"other","result":{}})");
  EXPECT_EQ(call_fails().outcome, Outcome::unknown);
  answer_with(202, {}, "");
  EXPECT_EQ(call_fails().outcome, Outcome::unknown);
  answer_with(400, {{"Content-Type", "application/json"}}, R"({"jsonrpc":"2.0","error":{"code":-32600,"message":"which?"}})");
  EXPECT_EQ(call_fails().rpc->code, -32600) << "an error without an id answers the request it came back for";
  EXPECT_EQ(client_->state(), ClientState::ready);
}

TEST_F(HttpTroubleTest, AServerThatIsGoneWasNotReachedAndIsFoundAgain) {
  serve([](auto exchange, const Json& request) {
    exchange->respond({200,
                       {{"Content-Type", "application/json"}},
                       R"({"jsonrpc":"2.0","id":)" + to_json(at(request, "id")) + R"(,"result":{"content":[{"text":"x"}]}})"});
  });
  EXPECT_EQ(text_of(client_->call_tool("t", {})), "x");
  peer_->end();
  peer_.reset();
  EXPECT_EQ(call_fails().error.kind, ErrorKind::unavailable);
  BlockingClient nobody(loop_.loop(), {}, {}, http_transport_maker(loop_.loop(), {"http://127.0.0.1:1/mcp", {}, true}));
  EXPECT_EQ(nobody.connect().error().kind, ErrorKind::unavailable);
  BlockingClient nonsense(loop_.loop(), {}, {}, http_transport_maker(loop_.loop(), {"ftp://x", {}, true}));
  EXPECT_EQ(nonsense.connect().error().kind, ErrorKind::invalid);
}

}  // namespace
}  // namespace holdfast::mcp
