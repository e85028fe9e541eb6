#include "web/metrics/metrics_text.h"

#include "base/run/process.h"

#include <fmt/format.h>

#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace holdfast::web {

namespace {

void append_escaped(std::string& out, std::string_view text, bool quoted) {
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else {
      if (c == '\\' || (quoted && c == '"')) out += '\\';
      out += c;
    }
  }
}

}  // namespace

void MetricsText::begin(std::string_view name, std::string_view help, std::string_view type) {
  name_ = fmt::format("{}{}", name.starts_with("process_") ? "" : "holdfast_", name);
  text_ += fmt::format("# HELP {} ", name_);
  append_escaped(text_, help, false);
  text_ += fmt::format("\n# TYPE {} {}\n", name_, type);
}

void MetricsText::line(std::string_view suffix, Labels labels, std::string_view last_label, std::string_view last_value,
                       std::string_view value) {
  text_ += name_;
  text_ += suffix;
  char before = '{';
  const auto add = [&](std::string_view name, std::string_view content) {
    text_ += before;
    text_ += name;
    text_ += "=\"";
    append_escaped(text_, content, true);
    text_ += '"';
    before = ',';
  };
  for (const Label& label : labels) add(label.name, label.value);
  if (!last_label.empty()) add(last_label, last_value);
  if (before == ',') text_ += '}';
  text_ += ' ';
  text_ += value;
  text_ += '\n';
}

void MetricsText::sample(Labels labels, std::uint64_t value) {
  line({}, labels, {}, {}, fmt::format("{}", value));
}

void MetricsText::sample(Labels labels, double value) {
  line({}, labels, {}, {}, fmt::format("{}", value));
}

void MetricsText::spread(Labels labels, const Histogram::Snapshot& histogram, double unit) {
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < histogram.bounds.size(); ++i) {
    below += histogram.counts[i];
    line("_bucket", labels, "le", fmt::format("{:.6g}", static_cast<double>(histogram.bounds[i]) * unit),
         fmt::format("{}", below));
  }
  line("_bucket", labels, "le", "+Inf", fmt::format("{}", histogram.count));
  line("_sum", labels, {}, {}, fmt::format("{:.9g}", static_cast<double>(histogram.sum) * unit));
  line("_count", labels, {}, {}, fmt::format("{}", histogram.count));
}

void MetricsText::single(std::string_view name, std::string_view help, std::string_view type, std::uint64_t value) {
  begin(name, help, type);
  sample({}, value);
}

std::size_t RouteTimes::route_of(std::string_view path) {
  if (path.starts_with("/mcp")) return 0;
  if (path.starts_with("/assets/")) return 2;
  if (path == "/events") return 3;
  if (path == "/healthz") return 4;
  if (path == "/metrics") return 5;
  return 1;
}

void RouteTimes::observe(const net::HttpRequest& request, int status, std::chrono::steady_clock::duration time) {
  Series& series = series_[route_of(request.path)];
  series.times.observe(time);
  ++series.by_class[static_cast<std::size_t>(std::clamp(status / 100, 1, 5) - 1)];
}

void RouteTimes::add_to(MetricsText& metrics) const {
  metrics.begin("http_request_duration_seconds",
                "Time from the end of an HTTP request to its answer, or the start of its stream.", "histogram");
  for (std::size_t i = 0; i < kRoutes.size(); ++i)
    metrics.spread({{"route", kRoutes[i]}}, series_[i].times.read(), MetricsText::kMicroseconds);
  constexpr std::array<std::string_view, 5> kClasses = {"1xx", "2xx", "3xx", "4xx", "5xx"};
  metrics.begin("http_responses_total", "HTTP answers by the class of their status.", "counter");
  for (std::size_t i = 0; i < kRoutes.size(); ++i)
    for (std::size_t c = 0; c < kClasses.size(); ++c)
      metrics.sample({{"route", kRoutes[i]}, {"status", kClasses[c]}}, series_[i].by_class[c]);
}

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

void add_store_metrics(MetricsText& metrics, session::Store& store) {
  const auto info = store.info();
  metrics.gauge("store_up", "1 when the store answered.", info ? 1 : 0);
  if (!info) return;
  metrics.gauge("store_read_only", "1 when nothing can be written to it.", info->read_only ? 1 : 0);
  metrics.gauge("store_bytes", "Size of the store.", static_cast<std::uint64_t>(info->bytes));
  metrics.gauge("store_index_bytes", "Size of its full-text index.", static_cast<std::uint64_t>(info->index_bytes));
  metrics.gauge("store_sessions", "Sessions in the store.", static_cast<std::uint64_t>(info->sessions));
  metrics.gauge("store_entries", "Entries in the store.", static_cast<std::uint64_t>(info->entries));
  if (info->path.empty()) return;  // a database knows its own disk
  const std::string folder = std::filesystem::path(info->path).parent_path().string();
  struct statvfs disk{};
  if (::statvfs(folder.empty() ? "." : folder.c_str(), &disk) != 0) return;
  metrics.gauge("store_free_bytes", "Free space on the disk of the store.", std::uint64_t{disk.f_bavail} * disk.f_frsize);
  metrics.gauge("store_disk_bytes", "Size of that disk.", std::uint64_t{disk.f_blocks} * disk.f_frsize);
}

}  // namespace holdfast::web
