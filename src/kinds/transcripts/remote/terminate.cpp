// Ending a client: only the very process that was registered, and never by its number alone.

#include "base/files/fd.h"
#include "base/run/process.h"
#include "kinds/transcripts/home/running.h"

#include <fmt/format.h>

#include <poll.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

namespace holdfast::transcripts {
namespace {

bool looks_like_the_client(const std::vector<std::string>& names) {
  return std::ranges::any_of(
      names, [](const std::string& name) { return name.contains("claude") || name.starts_with("node") || name == "bun"; });
}

Result<void> refuse_our_own(const LiveClient& client) {
  const auto refused = [&](const char* what) {
    return fail(ErrorKind::refused, fmt::format("process {} is {}", client.pid, what), "end it by hand, then try again");
  };
  if (client.pid <= 1) return refused("not a client");
  if (client.pid == ::getpid()) return refused("this program itself");
  const auto above = processes_above();
  if (std::ranges::find(above, client.pid, &Process::pid) != above.end()) return refused("the one this program runs under");
  return {};
}

// The descriptor stands for one process, whatever becomes of its number; so once start time and command have been compared behind
// its opening, a signal through it cannot meet another.
enum class Sent { signalled, gone };
Result<Sent> send(const Fd& pidfd, const LiveClient& client, int signal) {
  const auto process = process_of(client.pid);
  if (!process || process->start != client.start) return Sent::gone;
  const auto names = command_names(client.pid);
  if (!looks_like_the_client(names))
    return fail(ErrorKind::refused, fmt::format("process {} is {}, which is not the client", client.pid, names.front()),
                "end it by hand, then try again");
  if (::syscall(SYS_pidfd_send_signal, pidfd.get(), signal, nullptr, 0) == 0) return Sent::signalled;
  if (errno == ESRCH) return Sent::gone;
  return fail(system_error(fmt::format("ending process {}", client.pid), errno));
}

Result<bool> ends_within(const Fd& pidfd, std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  for (;;) {
    struct pollfd waiting{pidfd.get(), POLLIN, 0};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    const int ready = ::poll(&waiting, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (ready >= 0) return ready > 0;
    if (errno != EINTR) return fail(system_error("waiting for a process", errno));
  }
}

}  // namespace

Result<void> terminate(const LiveClient& client, std::chrono::milliseconds patience) {
  HF_CHECK(refuse_our_own(client));
  const Fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, client.pid, 0)));
  if (!pidfd) {
    if (errno == ESRCH) return {};
    if (errno == ENOSYS)
      return fail(ErrorKind::unavailable, "this kernel cannot end processes safely (no pidfd)", "end the client by hand");
    return fail(system_error(fmt::format("process {}", client.pid), errno));
  }
  for (const int signal : {SIGTERM, SIGKILL}) {
    HF_TRY(const Sent sent, send(pidfd, client, signal));
    if (sent == Sent::gone) return {};
    // Nothing survives SIGKILL, but the kernel may need its time.
    HF_TRY(const bool ended, ends_within(pidfd, signal == SIGTERM ? patience : kPatience));
    if (ended) return {};
  }
  return fail(ErrorKind::timeout, fmt::format("process {} did not end", client.pid), "end it by hand, then try again");
}

}  // namespace holdfast::transcripts
