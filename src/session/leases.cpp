#include "session/leases.h"

#include "base/ids.h"
#include "base/run/process.h"

#include <fmt/format.h>

#include <time.h>
#include <unistd.h>

#include <array>

namespace holdfast::session {

namespace {

// A wall clock of another host that is behind ours by more than this is not believed.
constexpr Millis kMaxClockSkew = 60'000;

std::string link_target(const char* path) {
  std::array<char, 256> buffer{};
  const ssize_t size = ::readlink(path, buffer.data(), buffer.size());
  return size > 0 ? std::string(buffer.data(), static_cast<std::size_t>(size)) : std::string("?");
}

// Process ids mean something only within one boot and one pid namespace (containers may share a
// data folder), so both are part of the host's name.
const std::string& this_host() {
  static const std::string host = [] {
    const auto known = [](const std::string& name) { return name.empty() ? "?" : name; };
    return fmt::format("{}/{}/{}", known(host_name()), known(boot_id()), link_target("/proc/self/ns/pid"));
  }();
  return host;
}

Millis read_clock(clockid_t which) {
  timespec now{};
  ::clock_gettime(which, &now);
  return static_cast<Millis>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

}  // namespace

LeaseOwner make_lease_owner() {
  const auto self = process_of(::getpid());
  return {this_host(), ::getpid(), self ? self->ticks : 0, make_handle()};
}

bool is_known_dead(const LeaseOwner& owner) {
  if (owner.host != this_host()) return false;
  const auto process = process_of(static_cast<pid_t>(owner.pid));
  return !process || process->ticks != owner.started;
}

LeaseTime lease_time_now() {
  return {read_clock(CLOCK_BOOTTIME), read_clock(CLOCK_REALTIME)};
}

bool is_over(const Lease& lease, const LeaseTime& now) {
  if (lease.ttl <= 0) return true;  // released
  if (lease.owner.host == this_host()) {
    return now.boot >= lease.renewed.boot + lease.ttl || is_known_dead(lease.owner);
  }
  return now.wall >= lease.renewed.wall + lease.ttl || now.wall + kMaxClockSkew < lease.renewed.wall;
}

}  // namespace holdfast::session
