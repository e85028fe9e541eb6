// LiveServer and the official filesystem server, as a real process: folders change, and no call is judged by the old ones.

#include "real_filesystem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>

#include <atomic>
#include <latch>
#include <thread>

namespace holdfast::runner {
namespace {

using ::testing::HasSubstr;

// What a tool said: the text, or "denied".
std::string said(const mcp::CallResult<JsonObject>& result) {
  if (!result) return "error: " + result.error().error.message;
  if (find_bool(*result, "isError").value_or(false)) return "denied";
  std::string text;
  for (const Json& block : result->at("content").as_array())
    if (const auto part = find_string(block.as_object(), "text")) text += *part;
  return text;
}

struct LiveServerTest : testing::Test {
  LiveServer& start(ServerDefinition definition, const LiveOptions& options = {}) {
    server.emplace(thread.loop(), std::move(definition), roots, connect_servers(thread.loop()), options);
    return *server;
  }
  RootsApplied enter(const std::string& name) {
    EXPECT_TRUE(roots.set({{folders / name, {}}}));
    auto applied = server->apply_roots();
    EXPECT_TRUE(applied) << applied.error().message;
    return applied.value_or(RootsApplied{});
  }
  std::string read(const std::string& name, const char* tool = "read_text_file") {
    return said(server->call_tool(tool, {{"path", folders.note(name)}}));
  }

  NotedFolders folders{{"a", "b", "c"}};
  net::LoopThread thread;
  Roots roots{PathRules{}};
  std::optional<LiveServer> server;
};

TEST_F(LiveServerTest, AThousandSwitchesAndNoCallUnderOldFolders) {
  start(filesystem_server());
  EXPECT_EQ(enter("a").mode, RootsMode::reconnected);
  const std::vector<std::string> names = {"a", "b", "c"};
  int stale = 0, unread = 0, unverified = 0, otherwise = 0;
  for (std::size_t i = 1; i <= 1000; ++i) {
    const std::string &old = names[(i - 1) % 3], &now = names[i % 3];
    const RootsApplied applied = enter(now);
    otherwise += applied.mode != RootsMode::notified;
    unverified += !applied.verified;
    stale += read(old) != "denied";
    unread += read(now) != "this is " + now;
  }
  EXPECT_EQ(stale, 0);
  EXPECT_EQ(unread, 0);
  EXPECT_EQ(unverified, 0);
  EXPECT_EQ(otherwise, 0);
  EXPECT_EQ(server->counts().connections, 1U) << "one process for all of it";
  EXPECT_EQ(enter(names[1000 % 3]).mode, RootsMode::none) << "nothing has changed";
}

TEST_F(LiveServerTest, CallsFromOtherThreadsWaitAtTheGateAndAreJudgedByOneFolderAlone) {
  start(filesystem_server());
  enter("a");
  std::atomic<int> wrong = 0, calls = 0;
  {
    std::vector<std::jthread> readers;
    for (int i = 0; i < 4; ++i)
      readers.emplace_back([&](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
          const std::string text = said(server->call_tool("list_allowed_directories", {}));
          const int named = text.contains(folders / "a") + text.contains(folders / "b");
          wrong += named != 1;
          ++calls;
        }
      });
    for (int i = 1; i <= 60 || calls < 60; ++i) ASSERT_TRUE(enter(i % 2 == 0 ? "a" : "b").verified);
  }
  EXPECT_EQ(wrong, 0);
}

TEST_F(LiveServerTest, AServerThatDiedComesBackWithItsFolders) {
  const TestFolder place;
  ServerDefinition definition = filesystem_server();
  // The shell becomes the server, and the file says which process that is.
  definition.arguments.insert(definition.arguments.begin(),
                              {"-c", "echo $$ > " + (place / "pid") + "; exec \"$@\"", "sh", definition.command});
  definition.command = "/bin/sh";
  start(definition);
  enter("a");
  for (int i = 0; i < 5; ++i) {
    int pid = 0;
    std::ifstream(place / "pid") >> pid;
    ASSERT_GT(pid, 1);
    ASSERT_EQ(::kill(pid, SIGKILL), 0);
    EXPECT_EQ(read("a"), "this is a") << "read again on the new connection, once that knows its folders";
    EXPECT_EQ(read("b"), "denied");
  }
  EXPECT_EQ(enter("b").mode, RootsMode::notified);
  EXPECT_EQ(read("a"), "denied");
}

// It starts again and says nothing: without the stop, the call would wait for the handshake's whole time.
TEST_F(LiveServerTest, ACallThatWaitsForAServerToComeBackCanBeCancelled) {
  const TestFolder place;
  ServerDefinition definition = filesystem_server();
  const std::string pids = place / "pids";
  definition.arguments.insert(definition.arguments.begin(),
                              {"-c", "echo $$ >> " + pids + "; [ $(wc -l < " + pids + ") -gt 1 ] && exec sleep 600; exec \"$@\"",
                               "sh", definition.command});
  definition.command = "/bin/sh";
  start(definition);
  enter("a");
  const auto starts = [&] {
    std::vector<int> all;
    std::ifstream in(pids);
    for (int pid = 0; in >> pid;) all.push_back(pid);
    return all;
  };
  ASSERT_EQ(::kill(starts().front(), SIGKILL), 0);
  while (starts().size() < 2) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::stop_source stop;
  std::latch calling(2);
  std::vector<ErrorKind> ends(2);
  {
    std::vector<std::jthread> callers;  // the second one waits for the first
    for (ErrorKind& end : ends)
      callers.emplace_back([&] {
        calling.count_down();
        const auto result = server->call_tool("list_allowed_directories", {}, {}, stop.get_token());
        end = result ? ErrorKind::internal : result.error().error.kind;
      });
    calling.wait();
    stop.request_stop();
  }
  EXPECT_THAT(ends, testing::Each(ErrorKind::cancelled));
}

ServerDefinition bad_server(std::vector<std::string> arguments) {
  ServerDefinition definition;
  definition.name = "bad";
  definition.command = "/usr/bin/env";
  definition.arguments = {"python3", HOLDFAST_SOURCE "/tests/e2e/runner/bad_server.py"};
  definition.arguments.insert(definition.arguments.end(), arguments.begin(), arguments.end());
  return definition;
}

std::chrono::steady_clock::duration time_of(const std::function<void()>& what) {
  const auto begun = std::chrono::steady_clock::now();
  what();
  return std::chrono::steady_clock::now() - begun;
}

TEST_F(LiveServerTest, P29AListOfToolsThatIsNotAnsweredIsWaitedForOnceAndTakenBack) {
  const TestFolder place;
  std::ofstream(place / "ice") << "cold";
  LiveOptions options;
  options.client.list_timeout = std::chrono::seconds(3);
  start(bad_server({"mute", "tools/list", place / "ice"}), options);
  const auto first = time_of([&] {
    enter("a");
    EXPECT_FALSE(server->tools());
  });
  EXPECT_GE(first, options.client.list_timeout);
  EXPECT_LT(first, 2 * options.client.list_timeout);
  EXPECT_LT(time_of([&] {
              for (const char* name : {"b", "c", "a"}) {
                enter(name);
                EXPECT_THAT(server->tools().error().error.message, HasSubstr("bad did not answer tools/list in time"));
              }
            }),
            options.client.list_timeout);
  EXPECT_EQ(said(server->call_tool("misbehave", {})), "heard") << "it is only its list that it keeps to itself";
  const auto changes = server->tool_changes();
  std::filesystem::remove(place / "ice");
  while (!server->tools()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_GT(server->tool_changes(), changes) << "a task that is under way hears of it";
}

TEST_F(LiveServerTest, P29AServerThatDoesNotHeedItsFoldersIsWaitedForOnce) {
  LiveOptions options;
  options.question = std::chrono::seconds(5);
  start(bad_server({"deaf"}), options);
  enter("a");
  EXPECT_GE(time_of([&] { EXPECT_EQ(enter("b").mode, RootsMode::reconnected); }), options.question);
  for (const char* name : {"c", "a"})
    EXPECT_LT(time_of([&] { EXPECT_EQ(enter(name).mode, RootsMode::reconnected); }), options.question);
}

TEST_F(LiveServerTest, NoFoldersLeftMeansNoServer) {
  start(filesystem_server());
  enter("a");
  ASSERT_TRUE(roots.clear());
  EXPECT_EQ(server->apply_roots().value().mode, RootsMode::closed);
  EXPECT_THAT(read("a"), HasSubstr("no folders"));
  EXPECT_EQ(enter("b").mode, RootsMode::reconnected);
  EXPECT_EQ(read("b"), "this is b");
}

TEST_F(LiveServerTest, AnOldServerThatIgnoresRootsIsStartedAnewWithItsFoldersAsArguments) {
  ServerDefinition definition = filesystem_server("server-filesystem-old");
  definition.roots_at = definition.arguments.size();
  start(definition);
  for (const std::string name : {"a", "b", "c"}) {
    const RootsApplied applied = enter(name);
    EXPECT_EQ(applied.mode, RootsMode::reconnected);
    EXPECT_TRUE(applied.verified) << "it can be asked which folders it allows";
    EXPECT_EQ(read(name, "read_file"), "this is " + name);
    EXPECT_EQ(read("a", "read_file"), name == "a" ? "this is a" : "denied");
  }
}

TEST_F(LiveServerTest, AServerThatDoesNotStartSaysWhyAndCanBeTriedAgain) {
  ServerDefinition definition = filesystem_server();
  definition.arguments = {"-e", "console.error('the licence has run out'); process.exit(3)"};
  start(definition);
  ASSERT_TRUE(roots.set({{folders / "a", {}}}));
  const auto applied = server->apply_roots();
  ASSERT_FALSE(applied);
  EXPECT_THAT(applied.error().message, HasSubstr("the licence has run out"));
  EXPECT_THAT(said(server->call_tool("read_text_file", {})), HasSubstr("not connected"));
  EXPECT_FALSE(server->apply_roots());
}

}  // namespace
}  // namespace holdfast::runner
