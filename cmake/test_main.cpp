// The main function of every test program: GoogleTest's, and two things more.
//
// A deadline for each test. Tests wait for events, not for times; one that waits for an event that never comes is ended here, by
// name, instead of at the limit of the whole program.
//
// A large stack. RapidCheck nests deep, and unoptimised frames with a sanitizer are large: 8 MiB are not enough. The size of the
// main thread's stack is fixed when a program starts, so the program starts itself again.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string>

namespace {

constexpr unsigned kDeadlineSeconds = 480;  // the slowest takes a tenth of it with a sanitizer on a quiet machine

constexpr rlim_t kStackBytes = 64U << 20;

void want_large_stack(char** argv) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kStackBytes) return;
  limit.rlim_cur = kStackBytes;
  if (::setrlimit(RLIMIT_STACK, &limit) == 0) ::execv("/proc/self/exe", argv);  // where it is not allowed, 8 MiB must do
}

std::string running;

void end(int /*signal*/) {
  std::fprintf(stderr, "%s waited in vain: it was not done after %u s\n", running.c_str(), kDeadlineSeconds);
  std::abort();
}

class Deadline : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo& test) override {
    running = std::string(test.test_suite_name()) + "." + test.name();
    ::alarm(kDeadlineSeconds);
  }
  void OnTestEnd(const testing::TestInfo&) override { ::alarm(0); }
};

}  // namespace

int main(int argc, char** argv) {
  want_large_stack(argv);
  testing::InitGoogleMock(&argc, argv);
  std::signal(SIGALRM, end);
  testing::UnitTest::GetInstance()->listeners().Append(new Deadline);  // which owns it
  return RUN_ALL_TESTS();
}
