#include "web/metrics/process_metrics.h"

#include "base/files/file.h"

#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>

namespace holdfast::web {

namespace {

constexpr std::size_t kProcFileBytes = 4096;

// The number of a field of /proc/self/stat, counted from 1 as proc(5) does; 0 when there is none. For fields behind the name.
std::uint64_t stat_field(std::string_view text, int wanted) {
  const std::size_t name_end = text.rfind(')');  // the name may hold anything
  if (name_end == std::string_view::npos) return 0;
  text.remove_prefix(name_end + 1);
  for (int field = 2; !text.empty(); ++field) {
    const std::size_t blank = text.find(' ');
    const std::string_view word = text.substr(0, blank);
    if (field == wanted) {
      std::uint64_t value = 0;
      std::from_chars(word.data(), word.data() + word.size(), value);
      return value;
    }
    text.remove_prefix(blank == std::string_view::npos ? text.size() : blank + 1);
  }
  return 0;
}

double boot_time() {
  const auto stat = read_file("/proc/stat", 1024 * 1024);  // a line for each processor and interrupt
  constexpr std::string_view kWord = "\nbtime ";
  const std::size_t at = stat ? stat->find(kWord) : std::string::npos;
  std::uint64_t seconds = 0;
  if (at != std::string::npos) std::from_chars(stat->data() + at + kWord.size(), stat->data() + stat->size(), seconds);
  return static_cast<double>(seconds);
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
  const auto stat = read_file("/proc/self/stat", kProcFileBytes);
  return stat ? stat_field(*stat, 24) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

void add_process_metrics(MetricsText& metrics, std::string_view version) {
  metrics.begin("build_info", "1; the label says which version this is.", "gauge");
  metrics.sample({{"version", version}}, std::uint64_t{1});
  const auto stat = read_file("/proc/self/stat", kProcFileBytes);
  if (stat) {
    const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
    metrics.begin("process_cpu_seconds_total", "Processor time used, of user and system.", "counter");
    metrics.sample({}, static_cast<double>(stat_field(*stat, 14) + stat_field(*stat, 15)) / ticks);
    metrics.begin("process_start_time_seconds", "When the process started, since 1970.", "gauge");
    metrics.sample({}, boot_time() + static_cast<double>(stat_field(*stat, 22)) / ticks);
    metrics.gauge("process_virtual_memory_bytes", "Address space of the process.", stat_field(*stat, 23));
    metrics.gauge("process_resident_memory_bytes", "Resident memory of the process.", resident_bytes());
    metrics.gauge("process_threads", "Threads of the process.", stat_field(*stat, 20));
  }
  metrics.gauge("process_open_fds", "Open file descriptors.", open_descriptors());
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0)
    metrics.gauge("process_max_fds", "File descriptors the process may have.", static_cast<std::uint64_t>(limit.rlim_cur));
}

}  // namespace holdfast::web
