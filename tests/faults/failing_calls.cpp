#include "failing_calls.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <stdexcept>

namespace holdfast {
namespace {

// Set in the child alone.
bool armed = false;
Fault fault = Fault::kill;
int fault_errno = EIO;
int fault_at = 0;
std::atomic<int> calls = 0;  // of any thread

constexpr int kSucceeded = 0, kFailed = 1, kNeverReached = 2;

[[noreturn]] void die() {
  ::kill(::getpid(), SIGKILL);
  for (;;) ::pause();
}

// True: the call is to fail.
bool counts_to_fault() {
  if (!armed) return false;
  const int number = ++calls;
  const bool hit = fault == Fault::disk_breaks ? number >= fault_at : number == fault_at;
  if (hit) errno = fault_errno;
  return hit;
}

bool strikes() {
  if (!counts_to_fault()) return false;
  if (fault == Fault::kill) die();
  return true;
}

}  // namespace

Ending run_with_fault(Fault kind, int error_number, int at_call, const std::function<bool()>& work) {
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork");
  if (child == 0) {
    fault = kind;
    fault_errno = error_number;
    fault_at = at_call;
    armed = true;
    const bool succeeded = work();
    armed = false;
    ::_exit(calls < at_call ? kNeverReached : succeeded ? kSucceeded : kFailed);
  }
  int status = 0;
  if (::waitpid(child, &status, 0) != child) throw std::runtime_error("waitpid");
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) return Ending::died;
  if (!WIFEXITED(status)) throw std::runtime_error("the child crashed");
  switch (WEXITSTATUS(status)) {
    case kSucceeded:
      return Ending::succeeded;
    case kFailed:
      return Ending::failed;
    case kNeverReached:
      return Ending::never_reached;
    default:
      throw std::runtime_error("the child ended strangely");
  }
}

}  // namespace holdfast

// NOLINTBEGIN(bugprone-reserved-identifier): the linker chooses these names.
#define HF_WRAP(type, name, parameters, arguments) \
  type __real_##name parameters;                   \
  type __wrap_##name parameters;                   \
  type __wrap_##name parameters {                  \
    if (holdfast::strikes()) return -1;            \
    return __real_##name arguments;                \
  }

extern "C" {
HF_WRAP(int, renameat2, (int from, const char* name, int to, const char* new_name, unsigned flags),
        (from, name, to, new_name, flags))
HF_WRAP(int, renameat, (int from, const char* name, int to, const char* new_name), (from, name, to, new_name))
HF_WRAP(int, linkat, (int from, const char* name, int to, const char* new_name, int flags), (from, name, to, new_name, flags))
HF_WRAP(int, unlinkat, (int folder, const char* name, int flags), (folder, name, flags))
HF_WRAP(int, unlink, (const char* name), (name))
HF_WRAP(int, rmdir, (const char* name), (name))
HF_WRAP(int, mkdir, (const char* name, mode_t mode), (name, mode))
HF_WRAP(int, mkdirat, (int folder, const char* name, mode_t mode), (folder, name, mode))
HF_WRAP(int, fchmod, (int fd, mode_t mode), (fd, mode))
HF_WRAP(int, fchmodat, (int folder, const char* name, mode_t mode, int flags), (folder, name, mode, flags))
HF_WRAP(int, ftruncate, (int fd, off_t size), (fd, size))
HF_WRAP(int, fsync, (int fd), (fd))
HF_WRAP(int, fdatasync, (int fd), (fd))
HF_WRAP(int, syncfs, (int fd), (fd))

ssize_t __real_write(int fd, const void* bytes, size_t size);
ssize_t __wrap_write(int fd, const void* bytes, size_t size);
ssize_t __wrap_write(int fd, const void* bytes, size_t size) {
  using namespace holdfast;
  if (!counts_to_fault()) return __real_write(fd, bytes, size);
  if (fault == Fault::kill) {
    static_cast<void>(!__real_write(fd, bytes, size / 2));
    die();
  }
  return -1;
}

int __real_openat(int folder, const char* name, int flags, ...);
int __wrap_openat(int folder, const char* name, int flags, ...);
int __wrap_openat(int folder, const char* name, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  if (holdfast::strikes()) return -1;
  return __real_openat(folder, name, flags, mode);
}
}
// NOLINTEND(bugprone-reserved-identifier)
