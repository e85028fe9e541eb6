#include "session/leases.h"

#include "base/files/file.h"
#include "base/ids.h"
#include "base/text/text.h"

#include <fmt/format.h>

#include <time.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <optional>

namespace holdfast::session {

namespace {

// A wall clock of another host that is behind ours by more than this is not believed.
constexpr Millis kMaxClockSkew = 60'000;

constexpr std::size_t kProcFileBytes = 16 * 1024;  // /proc/PID/stat is a few hundred bytes

std::string link_target(const char* path) {
  std::array<char, 256> buffer{};
  const ssize_t size = ::readlink(path, buffer.data(), buffer.size());
  return size > 0 ? std::string(buffer.data(), static_cast<std::size_t>(size)) : std::string("?");
}

// Process ids mean something only within one boot and one pid namespace (containers may share a
// data folder), so both are part of the host's name.
const std::string& this_host() {
  static const std::string host = [] {
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0) name[0] = '?';
    auto boot = read_file("/proc/sys/kernel/random/boot_id", kProcFileBytes);
    return fmt::format("{}/{}/{}", name.data(), boot ? trim(*boot) : "?", link_target("/proc/self/ns/pid"));
  }();
  return host;
}

// Field 22 of /proc/PID/stat. The second field is the program's name in parentheses and may itself
// contain blanks and parentheses, so counting starts behind the last ')'.
std::optional<std::int64_t> start_time_of(std::int64_t pid) {
  auto stat = read_file(fmt::format("/proc/{}/stat", pid), kProcFileBytes);
  if (!stat) return std::nullopt;
  const std::size_t behind_name = stat->rfind(')');
  if (behind_name == std::string::npos) return std::nullopt;
  std::string_view rest = std::string_view(*stat).substr(behind_name + 1);
  // A zombie has ended, whether or not its parent has noticed.
  if (rest.starts_with(" Z") || rest.starts_with(" X")) return std::nullopt;
  constexpr int kFieldsBetween = 20;  // from the third field to the twenty-second
  for (int i = 0; i < kFieldsBetween; ++i) {
    const std::size_t blank = rest.find(' ');
    if (blank == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(blank + 1);
  }
  std::int64_t value = 0;
  if (std::from_chars(rest.data(), rest.data() + rest.size(), value).ec != std::errc{}) return std::nullopt;
  return value;
}

Millis read_clock(clockid_t which) {
  timespec now{};
  ::clock_gettime(which, &now);
  return static_cast<Millis>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

}  // namespace

LeaseOwner make_lease_owner() {
  const auto pid = static_cast<std::int64_t>(::getpid());
  return {this_host(), pid, start_time_of(pid).value_or(0), make_handle()};
}

bool is_known_dead(const LeaseOwner& owner) {
  if (owner.host != this_host()) return false;
  return start_time_of(owner.pid) != owner.started;
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
