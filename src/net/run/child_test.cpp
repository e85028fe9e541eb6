#include "net/run/child.h"

#include "base/files/fd.h"
#include "base/files/file.h"
#include "base/files/test_folder.h"

#include <gmock/gmock.h>

#include <fcntl.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <filesystem>

namespace holdfast::net {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

ChildCall shell(std::string script) {
  ChildCall call;
  call.arguments = {"sh", "-c", std::move(script)};
  return call;
}

TEST(Child, OutputErrorsAndExitCodeAreTaken) {
  const auto result = run_child(shell("echo out; echo err >&2; exit 3"));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->output, "out\n");
  EXPECT_EQ(result->errors, "err\n");
  EXPECT_EQ(result->exit_code, 3);
}

TEST(Child, ArgumentsReachItAsTheyAre) {
  ChildCall call;
  call.arguments = {"printf", "%s|", "a b", "$HOME", "*", "", "it's"};
  EXPECT_EQ(run_child(call).value().output, "a b|$HOME|*||it's|");
}

TEST(Child, AMissingProgramIsNotFound) {
  ChildCall call;
  call.arguments = {"holdfast-no-such-program"};
  const auto result = run_child(call);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::not_found);
  EXPECT_THAT(result.error().message, HasSubstr("holdfast-no-such-program"));
  EXPECT_EQ(run_child({}).error().kind, ErrorKind::invalid);
  call.arguments = {"echo", std::string("a\0b", 3)};
  EXPECT_EQ(run_child(call).error().kind, ErrorKind::invalid);
}

TEST(Child, InputIsGivenOrEmpty) {
  ChildCall call;
  call.arguments = {"cat"};
  EXPECT_EQ(run_child(call).value().output, "");
  call.input = std::string(300'000, 'x');  // more than a pipe holds
  EXPECT_EQ(run_child(call).value().output, call.input);
}

TEST(Child, TheEnvironmentIsOursWithChanges) {
  ChildCall call = shell("echo \"$HOLDFAST_CHILD_TEST\"; test -n \"$PATH\"");
  call.environment = {{"HOLDFAST_CHILD_TEST", "first"}};
  EXPECT_EQ(run_child(call).value().output, "first\n");
  EXPECT_EQ(run_child(call).value().exit_code, 0);
}

TEST(Child, NoOtherDescriptorOfOursIsOpenThere) {
  const Fd inherited(::open("/dev/null", O_RDONLY));  // without O_CLOEXEC
  ChildCall call;
  call.arguments = {"readlink", "/proc/self/fd/" + std::to_string(inherited.get())};
  EXPECT_NE(run_child(call).value().exit_code, 0);
}

TEST(Child, SignalsAreAsAProgramExpectsThem) {
  sigset_t term, before;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &term, &before);
  const auto result = run_child(shell("kill -TERM $$; echo survived"));
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(result.value().exit_code, 128 + SIGTERM);
}

// Killed, but nobody's child any more: init may take a moment to bury it. A dead process has no program.
bool dies_soon(pid_t pid) {
  std::error_code gone;
  for (int i = 0; i < 3000; ++i) {
    const auto program = std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/exe", gone);
    if (gone) return true;
    ::usleep(10'000);
  }
  return false;
}

TEST(Child, TheTimeLimitEndsItAndItsChildren) {
  const TestFolder folder;
  ChildCall call = shell("sleep 600 & echo $! > " + folder / "pid" + "; wait");
  call.timeout = 300ms;
  const auto result = run_child(call);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::timeout);
  EXPECT_EQ(result.error().message, "sh did not end within 300 ms");
  // On a busy machine the shell may not have come so far.
  const auto pid = read_file(folder / "pid");
  EXPECT_TRUE(!pid || pid->empty() || dies_soon(std::stoi(*pid)));
}

TEST(Child, AGrandchildThatKeepsThePipeDoesNotKeepUs) {
  const auto result = run_child(shell("sleep 600 & echo $!"));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(dies_soon(std::stoi(result->output)));
}

TEST(Child, ClosedPipesAreNotTheEnd) {
  EXPECT_EQ(run_child(shell("exec >&- 2>&-; sleep 0.05; exit 7")).value().exit_code, 7);
}

TEST(Child, TooMuchOutputEndsIt) {
  ChildCall call;
  call.arguments = {"cat", "/dev/zero"};
  call.max_output = 100'000;
  EXPECT_EQ(run_child(call).error().kind, ErrorKind::too_large);
}

TEST(Child, OfManyErrorsTheLastAreKept) {
  const auto result = run_child(shell("head -c 100000 /dev/zero >&2; echo the end >&2"));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->errors.size(), 16u * 1024);
  EXPECT_TRUE(result->errors.ends_with("the end\n"));
}

TEST(Child, TheCallerMayGiveUp) {
  ChildCall call;
  call.arguments = {"sleep", "600"};
  int asked = 0;
  call.go_on = [&] { return ++asked < 3; };
  EXPECT_EQ(run_child(call).error().kind, ErrorKind::cancelled);
  EXPECT_EQ(asked, 3);
}

TEST(Child, NothingIsLeftToWaitFor) {
  ASSERT_TRUE(run_child(shell("exit 0")));
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace holdfast::net
