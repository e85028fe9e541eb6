#include "kinds/transcripts/home/process.h"

#include "base/files/file.h"
#include "base/text/text.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>

namespace holdfast::transcripts {
namespace {

constexpr std::size_t kProcBytes = 1024 * 1024;  // command lines may be long, but not longer
constexpr std::size_t kMaxAncestors = 256;       // the parents could change while we climb; a circle must end

std::string in_proc(pid_t pid, const char* name) {
  return read_file("/proc/" + std::to_string(pid) + "/" + name, kProcBytes).value_or("");
}

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!(text = trim(text)).empty()) {
    words.push_back(text.substr(0, text.find(' ')));
    text.remove_prefix(words.back().size());
  }
  return words;
}

Millis boot_time() {
  const std::string text = read_file("/proc/stat", kProcBytes).value_or("");
  constexpr std::string_view kLine = "\nbtime ";
  const std::size_t at = text.find(kLine);
  if (at == text.npos) return 0;
  const std::string_view rest = std::string_view(text).substr(at + kLine.size());
  return number<Millis>(rest.substr(0, rest.find('\n'))).value_or(0) * 1000;
}

std::string base_name(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

}  // namespace

std::optional<Process> process_of(pid_t pid) {
  const std::string stat = in_proc(pid, "stat");
  // "123 (any name, brackets too) S 1 ...": field 3 is the first behind the last bracket.
  const std::size_t bracket = stat.rfind(')');
  if (bracket == stat.npos) return std::nullopt;
  const auto fields = words_of(std::string_view(stat).substr(bracket + 1));
  constexpr std::size_t kState = 3 - 3, kParent = 4 - 3, kStart = 22 - 3;
  if (fields.size() <= kStart || fields[kState] == "Z" || fields[kState] == "X") return std::nullopt;
  const auto parent = number<pid_t>(fields[kParent]);
  const auto ticks = number<Millis>(fields[kStart]);
  if (!parent || !ticks) return std::nullopt;
  Process process;
  process.pid = pid;
  process.parent = *parent;
  process.start = fields[kStart];
  const Millis booted = boot_time();
  const long ticks_per_second = ::sysconf(_SC_CLK_TCK);
  if (booted > 0 && ticks_per_second > 0) process.started_at = booted + *ticks * 1000 / ticks_per_second;
  return process;
}

std::vector<std::string> command_names(pid_t pid) {
  std::vector<std::string> names;
  names.emplace_back(trim(in_proc(pid, "comm")));
  const std::string command_line = in_proc(pid, "cmdline");
  std::string_view arguments = command_line;
  for (int i = 0; i < 2 && !arguments.empty(); ++i) {
    const std::size_t end = std::min(arguments.find('\0'), arguments.size());
    names.push_back(base_name(arguments.substr(0, end)));
    arguments.remove_prefix(std::min(end + 1, arguments.size()));
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

}  // namespace holdfast::transcripts
