#include "web/metrics_text.h"

#include "base/file.h"

#include <fmt/format.h>

#include <unistd.h>

#include <charconv>

namespace holdfast::web {

void MetricsText::add(std::string_view name, std::string_view help, std::string_view type, std::uint64_t value) {
  fmt::format_to(std::back_inserter(text_), "# HELP holdfast_{0} {1}\n# TYPE holdfast_{0} {2}\nholdfast_{0} {3}\n", name, help,
                 type, value);
}

std::uint64_t resident_bytes() {
  constexpr std::size_t kStatmBytes = 256;
  auto statm = read_file("/proc/self/statm", kStatmBytes);
  if (!statm) return 0;
  const std::size_t blank = statm->find(' ');
  if (blank == std::string::npos) return 0;
  std::uint64_t pages = 0;
  const char* begin = statm->data() + blank + 1;
  if (std::from_chars(begin, statm->data() + statm->size(), pages).ec != std::errc{}) return 0;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace holdfast::web
