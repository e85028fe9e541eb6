#include "base/run/process.h"

#include "base/files/file.h"
#include "base/text/text.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace holdfast {
namespace {

constexpr std::size_t kProcBytes = 1024 * 1024;  // command lines may be long, but not longer
constexpr std::size_t kMaxAncestors = 256;       // the parents could change while we climb; a circle must end

std::string in_proc(pid_t pid, const char* name) {
  return read_file("/proc/" + std::to_string(pid) + "/" + name, kProcBytes).value_or("");
}

template <class Number>
std::optional<Number> whole_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::vector<std::string> stat_fields(pid_t pid) {
  const std::string stat = in_proc(pid, "stat");
  // "123 (any name, brackets too) S 1 ...": field 3 is the first behind the last bracket.
  const std::size_t bracket = stat.rfind(')');
  if (bracket == stat.npos) return {};
  std::vector<std::string> fields(3);
  for (std::string_view rest = trim(std::string_view(stat).substr(bracket + 1)); !rest.empty(); rest = trim(rest)) {
    fields.emplace_back(rest.substr(0, rest.find(' ')));
    rest.remove_prefix(fields.back().size());
  }
  return fields;
}

std::optional<Process> process_of(pid_t pid) {
  const auto fields = stat_fields(pid);
  constexpr std::size_t kState = 3, kParent = 4, kStart = 22;
  if (fields.size() <= kStart || fields[kState] == "Z" || fields[kState] == "X") return std::nullopt;
  const auto parent = whole_number<pid_t>(fields[kParent]);
  const auto ticks = whole_number<std::int64_t>(fields[kStart]);
  if (!parent || !ticks) return std::nullopt;
  return Process{pid, *parent, *ticks, fields[kStart]};
}

Millis started_at(const Process& process) {
  const std::string text = read_file("/proc/stat", kProcBytes).value_or("");
  constexpr std::string_view kLine = "\nbtime ";
  const std::size_t at = text.find(kLine);
  const long ticks_per_second = ::sysconf(_SC_CLK_TCK);
  if (at == text.npos || ticks_per_second <= 0) return 0;
  const std::string_view rest = std::string_view(text).substr(at + kLine.size());
  const auto booted = whole_number<Millis>(rest.substr(0, rest.find('\n')));
  return booted ? *booted * 1000 + process.ticks * 1000 / ticks_per_second : 0;
}

std::vector<std::string> command_names(pid_t pid) {
  std::vector<std::string> names;
  names.emplace_back(trim(in_proc(pid, "comm")));
  const std::string command_line = in_proc(pid, "cmdline");
  std::string_view arguments = command_line;
  for (int i = 0; i < 2 && !arguments.empty(); ++i) {
    const std::string_view argument = arguments.substr(0, arguments.find('\0'));
    names.emplace_back(argument.substr(argument.rfind('/') + 1));
    arguments.remove_prefix(std::min(argument.size() + 1, arguments.size()));
  }
  return names;
}

std::vector<Process> processes_above() {
  std::vector<Process> above;
  for (pid_t pid = ::getppid(); pid > 0 && above.size() < kMaxAncestors;) {
    auto process = process_of(pid);
    if (!process) break;
    pid = process->parent;
    above.push_back(*std::move(process));
  }
  return above;
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::string boot_id() {
  return std::string(trim(read_file("/proc/sys/kernel/random/boot_id", kProcBytes).value_or("")));
}

}  // namespace holdfast
