#include "cli/program/stop_signals.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>

namespace holdfast::cli {

namespace {

constexpr int kSignalExit = 128;  // the shell's convention: 128 + signal

}  // namespace

Result<std::unique_ptr<StopSignals>> StopSignals::watch() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  // The terminal has gone. Who was told not to care about that (nohup) goes on: blocked, an ignored signal would be delivered.
  struct sigaction hangup{};
  if (::sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN) sigaddset(&set, SIGHUP);
  if (const int error = ::pthread_sigmask(SIG_BLOCK, &set, nullptr); error != 0)
    return fail(system_error("block signals", error));
  Fd signals(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  Fd ended(::eventfd(0, EFD_CLOEXEC));
  if (!signals || !ended) return fail(system_error("watch signals", errno));
  return std::unique_ptr<StopSignals>(new StopSignals(std::move(signals), std::move(ended)));
}

StopSignals::~StopSignals() {
  if (!thread_.joinable()) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(ended_.get(), &one, sizeof one);
  thread_.join();
}

void StopSignals::on_stop(std::function<void()> stop) {
  stop_ = std::move(stop);
  thread_ = std::thread([this] { wait(); });
}

void StopSignals::wait() {
  bool asked = false;
  for (;;) {
    pollfd watched[] = {{signals_.get(), POLLIN, 0}, {ended_.get(), POLLIN, 0}};
    if (::poll(watched, 2, -1) < 0 && errno != EINTR) return;
    if (watched[1].revents != 0) return;
    signalfd_siginfo info{};
    if (::read(signals_.get(), &info, sizeof info) != sizeof info) continue;
    if (asked) std::_Exit(kSignalExit + static_cast<int>(info.ssi_signo));
    asked = true;
    stop_();
  }
}

}  // namespace holdfast::cli
