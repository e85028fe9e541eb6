#pragma once

#include <pthread.h>

#include <csignal>
#include <ctime>

namespace holdfast::net {

// Writing to a pipe or a socket whose reader has gone sends a signal that ends the program, unless the call can ask not
// to (OpenSSL does not, write(2) cannot). It is sent to the thread that writes, so this thread holds it back and throws
// it away.
class WithoutSigpipe {
 public:
  WithoutSigpipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~WithoutSigpipe() {
    if (sigismember(&before_, SIGPIPE) == 1) return;
    constexpr timespec kAtOnce{};
    while (::sigtimedwait(&pipe_, nullptr, &kAtOnce) > 0) {
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutSigpipe(const WithoutSigpipe&) = delete;
  WithoutSigpipe& operator=(const WithoutSigpipe&) = delete;

 private:
  sigset_t pipe_, before_;
};

}  // namespace holdfast::net
