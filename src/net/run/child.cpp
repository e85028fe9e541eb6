#include "net/run/child.h"

#include "base/files/fd.h"
#include "base/files/file.h"
#include "net/run/exec_parts.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>

namespace holdfast::net {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxErrors = 16 * 1024;  // the last words of a program that failed are enough
constexpr std::chrono::milliseconds kAskEvery{50};

// A file in memory instead of a pipe: it is written before the child runs, so neither waits for the other.
Result<Fd> input_of(const std::string& input) {
  if (input.empty()) {
    Fd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!nothing) return fail(system_error("/dev/null", errno));
    return nothing;
  }
  Fd file(::memfd_create("input", MFD_CLOEXEC));
  if (!file) return fail(system_error("memory for the input of a program", errno));
  HF_CHECK(write_all(file.get(), input));
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

std::vector<std::string> environment_of(const ChildCall& call) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view name = std::string_view(*entry).substr(0, std::string_view(*entry).find('='));
    if (std::ranges::none_of(call.environment, [&](const auto& ours) { return ours.first == name; })) all.emplace_back(*entry);
  }
  for (const auto& [name, value] : call.environment) all.push_back(name + '=' + value);
  return all;
}

class SpawnSettings {
 public:
  SpawnSettings() {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
  }
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

// A process that is our child and not yet waited for, so its number cannot belong to another one.
class Process {
 public:
  explicit Process(pid_t pid) : pid_(pid) {}
  ~Process() { finish(); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Ends what is left of its group and waits for it. Returns its exit code.
  int finish() {
    if (pid_ < 0) return 0;
    ::kill(-pid_, SIGKILL);
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return exit_code_of(status);
  }

 private:
  pid_t pid_;
};

Result<pid_t> spawn(const ChildCall& call, const Fd& input, const Fd& output, const Fd& errors) {
  std::vector<std::string> arguments = call.arguments, environment = environment_of(call);
  SpawnSettings settings;
  int error = ::posix_spawn_file_actions_adddup2(&settings.actions, input.get(), STDIN_FILENO);
  if (error == 0) error = ::posix_spawn_file_actions_adddup2(&settings.actions, output.get(), STDOUT_FILENO);
  if (error == 0) error = ::posix_spawn_file_actions_adddup2(&settings.actions, errors.get(), STDERR_FILENO);
  if (error == 0) error = ::posix_spawn_file_actions_addclosefrom_np(&settings.actions, STDERR_FILENO + 1);
  // Signals as a fresh program expects them: we block and ignore some.
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  ::posix_spawnattr_setsigmask(&settings.attributes, &none);
  ::posix_spawnattr_setsigdefault(&settings.attributes, &all);
  ::posix_spawnattr_setpgroup(&settings.attributes, 0);
  ::posix_spawnattr_setflags(&settings.attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t pid = -1;
  if (error == 0)
    error = ::posix_spawnp(&pid, arguments[0].c_str(), &settings.actions, &settings.attributes, pointers_to(arguments).data(),
                           pointers_to(environment).data());
  if (error != 0) return fail(system_error("run " + call.arguments[0], error));
  return pid;
}

// Takes what the pipe holds. False at its end.
bool drain(const Fd& pipe, std::string& text) {
  std::array<char, 16 * 1024> buffer;
  for (;;) {
    const ssize_t got = ::read(pipe.get(), buffer.data(), buffer.size());
    if (got > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(got));
      return true;
    }
    if (got == 0) return false;
    if (errno != EINTR) return errno == EAGAIN;
  }
}

// Reads both pipes until the process has ended and what it wrote is taken. Neither a pipe closed early nor a grandchild that
// keeps one open says anything about the end.
Result<void> follow(const ChildCall& call, const Fd& ended, Fd output, Fd errors, ChildResult& result) {
  const Clock::time_point deadline = Clock::now() + call.timeout;
  for (bool has_ended = false, idle = false; !(has_ended && idle);) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0)
      return fail(ErrorKind::timeout, fmt::format("{} did not end within {} ms", call.arguments[0], call.timeout.count()));
    if (call.go_on && !call.go_on()) return fail(ErrorKind::cancelled, call.arguments[0] + " was stopped");
    // poll() passes over negative descriptors.
    std::array<pollfd, 3> waiting = {pollfd{output.get(), POLLIN, 0}, pollfd{errors.get(), POLLIN, 0},
                                     pollfd{has_ended ? -1 : ended.get(), POLLIN, 0}};
    const auto wait = has_ended ? std::chrono::milliseconds(0) : call.go_on ? std::min(left, kAskEvery) : left;
    const int ready = ::poll(waiting.data(), waiting.size(), static_cast<int>(wait.count()));
    if (ready < 0 && errno != EINTR) return fail(system_error("wait for " + call.arguments[0], errno));
    idle = ready == 0;
    if (ready <= 0) continue;
    if (waiting[0].revents != 0 && !drain(output, result.output)) output.reset();
    if (waiting[1].revents != 0 && !drain(errors, result.errors)) errors.reset();
    if (waiting[2].revents != 0) has_ended = true;
    if (result.output.size() > call.max_output)
      return fail(ErrorKind::too_large, fmt::format("{} printed more than {} bytes", call.arguments[0], call.max_output));
    if (result.errors.size() > kMaxErrors) result.errors.erase(0, result.errors.size() - kMaxErrors);
  }
  return {};
}

}  // namespace

Result<ChildResult> run_child(const ChildCall& call) {
  if (call.arguments.empty()) return fail(ErrorKind::invalid, "no program to run");
  const auto has_nul = [](const std::string& text) { return text.find('\0') != text.npos; };
  if (std::ranges::any_of(call.arguments, has_nul))
    return fail(ErrorKind::invalid, "an argument of " + call.arguments[0] + " holds a NUL byte");

  HF_TRY(Fd input, input_of(call.input));
  HF_TRY(Pipe output, make_pipe());
  HF_TRY(Pipe errors, make_pipe());
  set_non_blocking(output.read);  // ours only: the child's ends stay as programs expect them
  set_non_blocking(errors.read);
  HF_TRY(const pid_t pid, spawn(call, input, output.write, errors.write));
  Process process(pid);
  output.write.reset();
  errors.write.reset();
  const Fd ended(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!ended) return fail(system_error("watch " + call.arguments[0], errno));
  ChildResult result;
  HF_CHECK(follow(call, ended, std::move(output.read), std::move(errors.read), result));
  result.exit_code = process.finish();
  return result;
}

}  // namespace holdfast::net
