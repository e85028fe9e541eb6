// Loaded in front of the C library (LD_PRELOAD): a disk and a clock that misbehave on command, under the program as it is
// installed.
//
// HF_SHIM names a file of words that is looked at before every call, so a test can change its mind while the program runs:
//
//   below PREFIX     only files whose path begins so are concerned
//   space BYTES      so much can be written from the first such order on; then the disk is full (a write may fit in part)
//   write ERRNO      write, pwrite, ftruncate, fallocate fail
//   sync ERRNO       fsync, fdatasync fail
//   open ERRNO       opening for writing, making and removing names fail
//   slow MS          fsync and fdatasync take so much longer
//   clock SECONDS    the wall clock is so much off
//
// HF_SHIM_STORM_US in the environment interrupts the process again and again after so many microseconds, without SA_RESTART.
//
// HF_SHIM_DIE_AT=N in the environment kills the process in front of its N-th call that changes a name in an open folder (mkdirat,
// renameat2, linkat, unlinkat): those are the steps of what changes many files at once.
//
// The program's own files are written with the same calls, which is why only paths below the prefix count.

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

struct Orders {
  char below[512] = "";
  int write = 0, sync = 0, open = 0;
  long slow_ms = 0, clock_s = 0, space = -1;
};

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

int real_open(const char* path, int flags) {
  static const auto call = next<int (*)(const char*, int, ...)>("open");
  return call(path, flags, 0);
}

Orders read_orders() {
  Orders orders;
  const char* path = std::getenv("HF_SHIM");
  if (path == nullptr) return orders;
  const int saved = errno;
  const int fd = real_open(path, O_RDONLY | O_CLOEXEC);
  char text[1024] = "";
  if (fd >= 0) {
    const ssize_t got = ::read(fd, text, sizeof text - 1);
    text[got > 0 ? got : 0] = '\0';
    ::close(fd);
  }
  char* rest = nullptr;
  for (char* line = strtok_r(text, "\n", &rest); line != nullptr; line = strtok_r(nullptr, "\n", &rest)) {
    char word[16] = "";
    char value[500] = "";
    if (std::sscanf(line, "%15s %499s", word, value) != 2) continue;
    if (std::strcmp(word, "below") == 0) std::strcpy(orders.below, value);
    if (std::strcmp(word, "write") == 0) orders.write = std::atoi(value);
    if (std::strcmp(word, "sync") == 0) orders.sync = std::atoi(value);
    if (std::strcmp(word, "open") == 0) orders.open = std::atoi(value);
    if (std::strcmp(word, "space") == 0) orders.space = std::atol(value);
    if (std::strcmp(word, "slow") == 0) orders.slow_ms = std::atol(value);
    if (std::strcmp(word, "clock") == 0) orders.clock_s = std::atol(value);
  }
  errno = saved;
  return orders;
}

bool concerns(const Orders& orders, const char* path) {
  return orders.below[0] != '\0' && std::strncmp(path, orders.below, std::strlen(orders.below)) == 0;
}

bool concerns(const Orders& orders, int fd) {
  if (orders.below[0] == '\0') return false;
  char link[64];
  char path[4096];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const int saved = errno;
  const ssize_t size = ::readlink(link, path, sizeof path - 1);
  errno = saved;
  if (size <= 0) return false;
  path[size] = '\0';
  return concerns(orders, path);
}

// How much of it fits; less than nothing: none, and errno says so.
ssize_t room_for(int fd, size_t size) {
  static std::atomic<long> used = 0;
  const Orders orders = read_orders();
  if (!concerns(orders, fd)) return static_cast<ssize_t>(size);
  if (orders.write != 0) {
    errno = orders.write;
    return -1;
  }
  if (orders.space < 0 || size == 0) return static_cast<ssize_t>(size);
  const long wanted = static_cast<long>(size), before = used.fetch_add(wanted);
  if (before + wanted <= orders.space) return wanted;
  const long room = before < orders.space ? orders.space - before : 0;
  used -= wanted - room;
  if (room > 0) return room;
  errno = ENOSPC;
  return -1;
}

bool refuse_write(int fd) {
  const Orders orders = read_orders();
  if (orders.write == 0 || !concerns(orders, fd)) return false;
  errno = orders.write;
  return true;
}

bool refuse_name(const char* path) {
  const Orders orders = read_orders();
  if (orders.open == 0 || !concerns(orders, path)) return false;
  errno = orders.open;
  return true;
}

bool refuse_sync(int fd) {
  const Orders orders = read_orders();
  if (!concerns(orders, fd)) return false;
  if (orders.slow_ms > 0) {
    timespec delay{orders.slow_ms / 1000, orders.slow_ms % 1000 * 1'000'000};
    while (::nanosleep(&delay, &delay) != 0 && errno == EINTR) {
    }
  }
  if (orders.sync == 0) return false;
  errno = orders.sync;
  return true;
}

[[gnu::constructor]] void raise_storm() {
  const char* pause = std::getenv("HF_SHIM_STORM_US");
  if (pause == nullptr) return;
  struct sigaction action{};
  action.sa_handler = [](int) {};
  ::sigaction(SIGALRM, &action, nullptr);
  const itimerval timer{{0, std::atol(pause)}, {0, std::atol(pause)}};
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

bool die_at_its_step() {
  static std::atomic<long> steps = 0;
  static const char* const last = std::getenv("HF_SHIM_DIE_AT");
  if (last == nullptr || ++steps != std::atol(last)) return false;
  ::kill(::getpid(), SIGKILL);
  for (;;) ::pause();
}

bool writes(int flags) {
  return (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT) != 0;
}

}  // namespace

extern "C" {

#define HF_SHIM(type, name, parameters, arguments, refused)   \
  type name parameters {                                      \
    if (refused) return -1;                                   \
    static const auto call = next<type(*) parameters>(#name); \
    return call arguments;                                    \
  }

ssize_t write(int fd, const void* bytes, size_t size) {
  static const auto call = next<ssize_t (*)(int, const void*, size_t)>("write");
  const ssize_t room = room_for(fd, size);
  return room < 0 ? -1 : call(fd, bytes, static_cast<size_t>(room));
}

ssize_t pwrite(int fd, const void* bytes, size_t size, off_t at) {
  static const auto call = next<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite");
  const ssize_t room = room_for(fd, size);
  return room < 0 ? -1 : call(fd, bytes, static_cast<size_t>(room), at);
}

ssize_t pwrite64(int fd, const void* bytes, size_t size, off64_t at) {
  static const auto call = next<ssize_t (*)(int, const void*, size_t, off64_t)>("pwrite64");
  const ssize_t room = room_for(fd, size);
  return room < 0 ? -1 : call(fd, bytes, static_cast<size_t>(room), at);
}

HF_SHIM(int, ftruncate, (int fd, off_t size) noexcept, (fd, size), refuse_write(fd))
HF_SHIM(int, ftruncate64, (int fd, off64_t size) noexcept, (fd, size), refuse_write(fd))
HF_SHIM(int, mkdirat, (int folder, const char* path, mode_t mode) noexcept, (folder, path, mode), die_at_its_step())
HF_SHIM(int, unlinkat, (int folder, const char* path, int flags) noexcept, (folder, path, flags), die_at_its_step())
HF_SHIM(int, renameat2, (int from, const char* path, int to, const char* new_path, unsigned flags) noexcept,
        (from, path, to, new_path, flags), die_at_its_step())
HF_SHIM(int, linkat, (int from, const char* path, int to, const char* new_path, int flags) noexcept,
        (from, path, to, new_path, flags), die_at_its_step())
HF_SHIM(int, fsync, (int fd), (fd), refuse_sync(fd))
HF_SHIM(int, fdatasync, (int fd), (fd), refuse_sync(fd))
HF_SHIM(int, mknod, (const char* path, mode_t mode, dev_t device) noexcept, (path, mode, device), refuse_name(path))
HF_SHIM(int, mkdir, (const char* path, mode_t mode) noexcept, (path, mode), refuse_name(path))
HF_SHIM(int, unlink, (const char* path) noexcept, (path), refuse_name(path))

int posix_fallocate(int fd, off_t offset, off_t size) {
  if (refuse_write(fd)) return errno;
  static const auto call = next<int (*)(int, off_t, off_t)>("posix_fallocate");
  return call(fd, offset, size);
}

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  if (writes(flags) && refuse_name(path)) return -1;
  static const auto call = next<int (*)(const char*, int, ...)>("open");
  return call(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  if (writes(flags) && refuse_name(path)) return -1;
  static const auto call = next<int (*)(const char*, int, ...)>("open64");
  return call(path, flags, mode);
}

int clock_gettime(clockid_t which, timespec* time) noexcept {
  static const auto call = next<int (*)(clockid_t, timespec*)>("clock_gettime");
  const int result = call(which, time);
  if (result == 0 && which == CLOCK_REALTIME) time->tv_sec += read_orders().clock_s;
  return result;
}

int gettimeofday(timeval* time, void* zone) noexcept {
  static const auto call = next<int (*)(timeval*, void*)>("gettimeofday");
  const int result = call(time, zone);
  if (result == 0) time->tv_sec += read_orders().clock_s;
  return result;
}

time_t time(time_t* out) noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  if (out != nullptr) *out = now.tv_sec;
  return now.tv_sec;
}
}
