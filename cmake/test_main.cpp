// The main function of every test program: GoogleTest's, and a deadline for each test. Tests wait for events, not for times; one
// that waits for an event that never comes is ended here, by name, instead of at the limit of the whole program.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string>

namespace {

constexpr unsigned kDeadlineSeconds = 240;  // the slowest takes a tenth of it with a sanitizer on a busy machine

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
  testing::InitGoogleMock(&argc, argv);
  std::signal(SIGALRM, end);
  testing::UnitTest::GetInstance()->listeners().Append(new Deadline);  // which owns it
  return RUN_ALL_TESTS();
}
