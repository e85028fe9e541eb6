// A program that stays, on the loop: what goes in, what comes out, how it ends.

#include "net/run/child_process.h"

#include "net/run/exec_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>

#include <fstream>
#include <thread>

namespace holdfast::net {
namespace {

using namespace std::chrono_literals;

class ChildProcessTest : public ::testing::Test {
 protected:
  void start(std::vector<std::string> arguments) {
    ChildProcess::Events events;
    events.on_output = [this](std::string_view bytes) {
      output_ += bytes;
      if (on_output_) on_output_();
    };
    events.on_errors = [this](std::string_view bytes) { errors_ += bytes; };
    events.on_exit = [this](int code) {
      code_ = code;
      loop_.stop();
    };
    auto started = ChildProcess::start(loop_, {std::move(arguments), small_environment(), {}}, std::move(events));
    ASSERT_TRUE(started) << started.error().message;
    process_ = *std::move(started);
  }
  int run_to_the_end() {
    const TimerId limit = loop_.after(20s, [this] { loop_.stop(); });
    loop_.run();
    loop_.cancel(limit);
    return code_;
  }

  EventLoop loop_;
  std::unique_ptr<ChildProcess> process_;
  std::function<void()> on_output_;
  std::string output_, errors_;
  int code_ = -1;
};

TEST_F(ChildProcessTest, MegabytesGoInAndComeOutWhileItRuns) {
  start({"cat"});
  const std::string text(5'000'000, 'x');
  process_->write(text);
  EXPECT_GT(process_->unwritten(), 0U) << "more than a pipe holds";
  process_->close_input();
  process_->write("too late");
  EXPECT_EQ(run_to_the_end(), 0);
  EXPECT_EQ(output_.size(), text.size());
  EXPECT_EQ(process_->unwritten(), 0U);
}

TEST_F(ChildProcessTest, ExitCodesSignalsAndLastWords) {
  start({"sh", "-c", "echo out; echo err >&2; exit 7"});
  EXPECT_EQ(run_to_the_end(), 7);
  EXPECT_EQ(output_, "out\n");
  EXPECT_EQ(errors_, "err\n");
  EXPECT_FALSE(process_->running());
}

TEST_F(ChildProcessTest, SignalsReachTheWholeGroup) {
  on_output_ = [this] { process_->signal(SIGTERM); };
  start({"sh", "-c", "sleep 1000 & echo ready; wait"});
  EXPECT_EQ(run_to_the_end(), 128 + SIGTERM);
}

TEST_F(ChildProcessTest, AReaderThatHasGoneNeitherKillsUsNorKeepsTheLoopBusy) {
  on_output_ = [this] {
    process_->write("nobody reads this\n");
    on_output_ = nullptr;
    loop_.after(50ms, [this] { process_->signal(SIGKILL); });
  };
  start({"sh", "-c", "exec 0<&-; echo closed; sleep 1000"});
  EXPECT_EQ(run_to_the_end(), 128 + SIGKILL);
}

TEST_F(ChildProcessTest, WhatIsDestroyedIsGone) {
  on_output_ = [this] { loop_.stop(); };
  start({"sh", "-c", "trap '' TERM; sleep 1000 & echo $!; wait"});
  loop_.run();
  const pid_t child = process_->pid();
  process_.reset();
  EXPECT_NE(::kill(child, 0), 0);
}

TEST_F(ChildProcessTest, WhatCannotBeStartedSaysWhy) {
  EXPECT_EQ(start_child({{"no-such-program-4711"}, {"PATH=/nowhere"}, {}}).error().message,
            "there is no program no-such-program-4711 in PATH=/nowhere");
  EXPECT_EQ(start_child({{"/etc/passwd"}, {}, {}}).error().kind, ErrorKind::refused);
  EXPECT_EQ(start_child({{"sh"}, small_environment(), "/no/such/folder"}).error().kind, ErrorKind::not_found);
  EXPECT_EQ(start_child({{}, {}, {}}).error().kind, ErrorKind::invalid);
  EXPECT_EQ(start_child({{"sh", std::string("a\0b", 3)}, {}, {}}).error().kind, ErrorKind::invalid);
}

// Whether a process has ended; one that nobody waited for has, too.
bool has_ended(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string number, name, state;
  return !(file >> number >> name >> state) || state == "Z";
}

bool ends_soon(pid_t pid) {
  const auto deadline = std::chrono::steady_clock::now() + 10s;
  while (!has_ended(pid) && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  return has_ended(pid);
}

// The way npx starts servers: a process in between, and one that does not heed SIGTERM.
TEST_F(ChildProcessTest, IfWeAreKilledTheWholeGroupIsKilled) {
  Pipe pipe = make_pipe().value();
  const pid_t victim = ::fork();
  if (victim == 0) {
    auto child = start_child(
        {{"sh", "-c", "sh -c 'trap \"\" TERM HUP; echo $$ >&2; while :; do sleep 1000; done'; true"}, small_environment(), {}});
    const pid_t keeper = child ? child->pid : -1;
    std::string told;
    for (char byte = 0; child && byte != '\n';)
      if (::read(child->errors.get(), &byte, 1) == 1) told += byte;
    const pid_t pids[] = {keeper, std::atoi(told.c_str())};
    [[maybe_unused]] const ssize_t written = ::write(pipe.write.get(), pids, sizeof pids);
    for (;;) ::pause();
  }
  pid_t pids[2] = {-1, -1};
  ASSERT_EQ(::read(pipe.read.get(), pids, sizeof pids), static_cast<ssize_t>(sizeof pids));
  ASSERT_GT(pids[1], 0);
  for (const pid_t pid : pids) EXPECT_FALSE(has_ended(pid));
  ::kill(victim, SIGKILL);
  ::waitpid(victim, nullptr, 0);
  for (const pid_t pid : pids) EXPECT_TRUE(ends_soon(pid)) << pid;
}

TEST_F(ChildProcessTest, WhatAProgramLeavesBehindEndsWithIt) {
  start({"sh", "-c", "sleep 1000 >/dev/null 2>&1 & echo $!; exit 3"});
  EXPECT_EQ(run_to_the_end(), 3);
  EXPECT_TRUE(ends_soon(std::stoi(output_)));
}

TEST_F(ChildProcessTest, NoDescriptorOfOursIsInherited) {
  const Fd secret(::dup(2));  // without close-on-exec
  start({"sh", "-c", "ls /proc/self/fd | wc -l"});
  EXPECT_EQ(run_to_the_end(), 0);
  EXPECT_EQ(output_, "4\n") << "three, and the one ls reads the folder with";
}

}  // namespace
}  // namespace holdfast::net
