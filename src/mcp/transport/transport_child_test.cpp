// Servers that behave badly, as real programs: crash, hang, flood, babble, exit, send too much.

#include "mcp/transport/transport_child.h"

#include "mcp/client/blocking_client.h"
#include "mcp/server/test_server.h"
#include "net/run/event_loop.h"

#include <signal.h>

#include <atomic>
#include <thread>

namespace holdfast::mcp {
namespace {

using namespace std::chrono_literals;

// A legacy server in a few lines; what a tool does is its name.
constexpr const char* kChildServer = R"python(
import json, os, signal, subprocess, sys, time
mode = sys.argv[1] if len(sys.argv) > 1 else ""
def say(message):
    sys.stdout.write(json.dumps(message) + "\n"); sys.stdout.flush()
if mode == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if mode == "banner":
    print("Welcome to the server!\n\n{not json}\n[1, 2"); sys.stdout.flush()
if mode == "babbler":
    while True: print("bla")
if mode == "dies":
    sys.stderr.write("cannot find my licence\n"); sys.exit(5)
helper = subprocess.Popen(["sleep", "1000"]) if mode == "family" else None
for line in sys.stdin:
    m = json.loads(line)
    if m["method"] == "initialize":
        say({"jsonrpc": "2.0", "id": m["id"], "result": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
             "serverInfo": {"name": "s", "version": "1"}}})
    elif m["method"] == "tools/call":
        tool = m["params"]["name"]
        text = "done"
        if tool == "crash":
            sys.stderr.write("segmentation fault, they say\n"); sys.stderr.flush(); os._exit(3)
        if tool == "exit": os._exit(0)
        if tool == "kill": os.kill(os.getpid(), signal.SIGKILL)
        if tool == "hang": continue
        if tool == "flood":
            for _ in range(80): sys.stderr.write("x" * 65535 + "\n")
            sys.stderr.write("the end\n"); sys.stderr.flush()
        if tool == "garbage":
            for _ in range(99): print("no message")
        if tool == "large": text = "y" * 60_000_000
        if tool == "huge": text = "y" * 70_000_000
        if tool == "pid": text = str(os.getpid())
        if tool == "helper": text = str(helper.pid)
        if tool == "where": text = os.getcwd() + " " + os.environ.get("GIVEN", "") + " " + os.environ.get("HIDDEN", "none")
        if tool == "mute": os.close(1); os.close(0); time.sleep(1000)
        say({"jsonrpc": "2.0", "id": m["id"], "result": {"content": [{"type": "text", "text": text}]}})
    elif "id" in m:
        say({"jsonrpc": "2.0", "id": m["id"], "error": {"code": -32601, "message": "unknown"}})
if mode == "stubborn": time.sleep(1000)
)python";

class ChildTransportTest : public ::testing::Test {
 protected:
  BlockingClient make(const std::string& mode = {}, ClientOptions options = {}, const std::string& directory = {}) {
    ChildServer server{"python3", {"-c", kChildServer, mode}, {{"GIVEN", "given"}}, directory};
    return BlockingClient(thread_.loop(), std::move(options), {}, child_transport_maker(thread_.loop(), server));
  }
  static std::string text_of(const CallResult<JsonObject>& result) {
    return result ? std::string(view(at(Json(*result), "content", 0, "text").as_string()))
                  : "error: " + result.error().error.message;
  }
  // A process that has ended and was waited for, or by somebody else, is gone.
  static bool gone(const std::string& pid) {
    const auto deadline = std::chrono::steady_clock::now() + 10s;
    while (::kill(std::stoi(pid), 0) == 0 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    return ::kill(std::stoi(pid), 0) != 0;
  }

  net::LoopThread thread_;
};

TEST_F(ChildTransportTest, AServerThatAnswersKeepsItsProcess) {
  BlockingClient client = make();
  const std::string pid = text_of(client.call_tool("pid", {}));
  EXPECT_EQ(text_of(client.call_tool("pid", {})), pid);
  client.close();
  EXPECT_TRUE(gone(pid));
}

TEST_F(ChildTransportTest, ACrashIsReportedWithCodeAndLastWordsAndTheNextCallFindsANewProcess) {
  BlockingClient client = make();
  const std::string pid = text_of(client.call_tool("pid", {}));
  const auto crashed = client.call_tool("crash", {});
  ASSERT_FALSE(crashed);
  EXPECT_EQ(crashed.error().outcome, Outcome::unknown);
  EXPECT_NE(crashed.error().error.message.find("exit code 3"), std::string::npos) << crashed.error().error.message;
  EXPECT_NE(crashed.error().error.message.find("segmentation fault, they say"), std::string::npos);
  EXPECT_NE(text_of(client.call_tool("pid", {})), pid);
  for (const auto& [tool, code] : {std::pair("exit", "exit code 0"), std::pair("kill", "exit code 137")}) {
    const auto ended = client.call_tool(tool, {});
    ASSERT_FALSE(ended);
    EXPECT_NE(ended.error().error.message.find(code), std::string::npos) << ended.error().error.message;
    EXPECT_EQ(text_of(client.call_tool("again", {})), "done");
  }
}

TEST_F(ChildTransportTest, AHangingCallTimesOutAndTheServerGoesOn) {
  BlockingClient client = make();
  CallOptions options;
  options.timeout = 50ms;
  ASSERT_TRUE(client.connect());
  const auto hung = client.call_tool("hang", {}, options);
  ASSERT_FALSE(hung);
  EXPECT_EQ(hung.error().error.kind, ErrorKind::timeout);
  EXPECT_EQ(text_of(client.call_tool("other", {})), "done");
  EXPECT_EQ(client.counts().connections, 1U);
  std::stop_source stop;
  std::jthread canceller([&] { stop.request_stop(); });
  EXPECT_EQ(client.call_tool("hang", {}, {}, stop.get_token()).error().error.kind, ErrorKind::cancelled);
}

TEST_F(ChildTransportTest, FloodsOnStderrNeverStopAServerAndTheirEndIsKept) {
  BlockingClient client = make();
  EXPECT_EQ(text_of(client.call_tool("flood", {})), "done");
  for (int i = 0; i < 100 && !client.last_words().ends_with("the end\n"); ++i) client.state();
  const std::string words = client.last_words();
  EXPECT_TRUE(words.ends_with("the end\n"));
  EXPECT_LE(words.size(), 128U * 1024);
}

TEST_F(ChildTransportTest, GarbageOnStdoutIsSkippedAndCounted) {
  BlockingClient client = make("banner");
  EXPECT_EQ(text_of(client.call_tool("x", {})), "done");
  EXPECT_EQ(client.counts().garbage_lines, 3U);
  EXPECT_EQ(text_of(client.call_tool("garbage", {})), "done");
  EXPECT_EQ(client.counts().garbage_lines, 102U);
  EXPECT_EQ(client.counts().connections, 1U);
}

TEST_F(ChildTransportTest, AProgramThatOnlyBabblesOrDiesIsNoServer) {
  BlockingClient babbler = make("babbler");
  auto connected = babbler.connect();
  ASSERT_FALSE(connected);
  EXPECT_NE(connected.error().message.find("no messages"), std::string::npos) << connected.error().message;
  BlockingClient dying = make("dies");
  connected = dying.connect();
  ASSERT_FALSE(connected);
  EXPECT_NE(connected.error().message.find("exit code 5"), std::string::npos) << connected.error().message;
  EXPECT_NE(connected.error().message.find("licence"), std::string::npos);
}

TEST_F(ChildTransportTest, SixtyMegabytesArriveAndMoreEndsTheConnectionNotTheClient) {
  BlockingClient client = make();
  const auto large = client.call_tool("large", {});
  ASSERT_TRUE(large);
  EXPECT_EQ(text_of(large).size(), 60'000'000U);
  const auto huge = client.call_tool("huge", {});
  ASSERT_FALSE(huge);
  EXPECT_NE(huge.error().error.message.find("more than 67108864 bytes"), std::string::npos) << huge.error().error.message;
  EXPECT_EQ(text_of(client.call_tool("again", {})), "done");
}

TEST_F(ChildTransportTest, WholeFamiliesEndAndStubbornOnesAreKilled) {
  BlockingClient family = make("family");
  const std::string helper = text_of(family.call_tool("helper", {}));
  family.close();
  EXPECT_TRUE(gone(helper));
  BlockingClient stubborn = make("stubborn");
  const std::string pid = text_of(stubborn.call_tool("pid", {}));
  const auto began = std::chrono::steady_clock::now();
  stubborn.close();
  EXPECT_LT(std::chrono::steady_clock::now() - began, 20s) << "two graces of two seconds, on a machine that may be busy";
  EXPECT_TRUE(gone(pid));
}

TEST_F(ChildTransportTest, AServerThatClosesItsPipesAndStaysIsLost) {
  BlockingClient client = make();
  const auto muted = client.call_tool("mute", {});
  ASSERT_FALSE(muted);
  EXPECT_NE(muted.error().error.message.find("closed its output"), std::string::npos) << muted.error().error.message;
  EXPECT_EQ(text_of(client.call_tool("again", {})), "done");
}

TEST_F(ChildTransportTest, DirectoryAndEnvironmentAreThoseOfTheDefinition) {
  ::setenv("HIDDEN", "secret", 1);
  EXPECT_EQ(text_of(make({}, {}, "/usr/bin").call_tool("where", {})), "/usr/bin given none");
  ::unsetenv("HIDDEN");
  auto connected = make({}, {}, "/no/such/folder").connect();
  ASSERT_FALSE(connected);
  EXPECT_NE(connected.error().message.find("/no/such/folder"), std::string::npos);
  BlockingClient missing(thread_.loop(), {}, {}, child_transport_maker(thread_.loop(), {"no-such-program-4711", {}, {}, {}}));
  connected = missing.connect();
  ASSERT_FALSE(connected);
  EXPECT_EQ(connected.error().kind, ErrorKind::not_found);
  EXPECT_NE(connected.error().message.find("PATH="), std::string::npos) << connected.error().message;
}

TEST_F(ChildTransportTest, ManyThreadsCallAtOnceAndEachGetsItsOwnAnswer) {
  BlockingClient client = make();
  ASSERT_TRUE(client.connect());
  std::atomic<int> good = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 128; ++i)
      threads.emplace_back([&] { good += text_of(client.call_tool("x", {{"i", 1}})) == "done" ? 1 : 0; });
  }
  EXPECT_EQ(good, 128);
  EXPECT_EQ(client.counts().connections, 1U);
}

}  // namespace
}  // namespace holdfast::mcp
