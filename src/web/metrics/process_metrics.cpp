#include "web/metrics/process_metrics.h"

#include "base/run/process.h"

#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>

namespace holdfast::web {

namespace {

// One of /proc/self/stat; 0 when there is none.
std::uint64_t stat_number(const std::vector<std::string>& fields, std::size_t wanted) {
  std::uint64_t value = 0;
  if (wanted < fields.size()) std::from_chars(fields[wanted].data(), fields[wanted].data() + fields[wanted].size(), value);
  return value;
}

std::uint64_t open_descriptors() {
  std::error_code error;
  std::uint64_t count = 0;
  for (std::filesystem::directory_iterator each("/proc/self/fd", error), end; !error && each != end; each.increment(error))
    ++count;
  return count == 0 ? 0 : count - 1;  // one is that of the walk
}

}  // namespace

std::uint64_t resident_bytes() {
  return stat_number(stat_fields(::getpid()), 24) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

void add_process_metrics(MetricsText& metrics, std::string_view version) {
  metrics.begin("build_info", "1; the label says which version this is.", "gauge");
  metrics.sample({{"version", version}}, std::uint64_t{1});
  const auto stat = stat_fields(::getpid());
  if (const auto self = process_of(::getpid())) {
    const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
    metrics.begin("process_cpu_seconds_total", "Processor time used, of user and system.", "counter");
    metrics.sample({}, static_cast<double>(stat_number(stat, 14) + stat_number(stat, 15)) / ticks);
    metrics.begin("process_start_time_seconds", "When the process started, since 1970.", "gauge");
    metrics.sample({}, static_cast<double>(started_at(*self)) / 1000);
    metrics.gauge("process_virtual_memory_bytes", "Address space of the process.", stat_number(stat, 23));
    metrics.gauge("process_resident_memory_bytes", "Resident memory of the process.", resident_bytes());
    metrics.gauge("process_threads", "Threads of the process.", stat_number(stat, 20));
  }
  metrics.gauge("process_open_fds", "Open file descriptors.", open_descriptors());
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0)
    metrics.gauge("process_max_fds", "File descriptors the process may have.", static_cast<std::uint64_t>(limit.rlim_cur));
}

}  // namespace holdfast::web
