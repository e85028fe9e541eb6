#include "net/run/child_process.h"

#include "net/run/exec_parts.h"
#include "net/run/without_sigpipe.h"

#include <fmt/format.h>

#include <poll.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>

namespace holdfast::net {
namespace {

constexpr std::string_view kDefaultPath = "/usr/local/bin:/usr/bin:/bin";

std::string_view path_of(const std::vector<std::string>& environment) {
  for (const std::string_view entry : environment)
    if (entry.starts_with("PATH=")) return entry.substr(5);
  return kDefaultPath;
}

bool can_run(const std::string& file) {
  struct stat info{};
  return ::stat(file.c_str(), &info) == 0 && S_ISREG(info.st_mode) && ::access(file.c_str(), X_OK) == 0;
}

Result<std::string> find_program(const ChildStart& start) {
  const std::string& name = start.arguments[0];
  if (name.find('/') != name.npos) return name;
  std::string_view path = path_of(start.environment);
  const std::string searched(path);
  while (!path.empty()) {
    const std::size_t colon = path.find(':');
    std::string file(path.substr(0, colon));
    path.remove_prefix(colon == path.npos ? path.size() : colon + 1);
    if (file.empty()) continue;  // the working directory by accident is nobody's intention
    file += '/' + name;
    if (can_run(file)) return file;
  }
  return fail(ErrorKind::not_found, fmt::format("there is no program {} in PATH={}", name, searched),
              "install it, or name it with its folder");
}

// What the new processes need, prepared before they exist: between fork and exec nothing may be allocated.
struct Prepared {
  const char* program;
  char* const* arguments;
  char* const* environment;
  const char* directory;  // null: stay
  int input, output, errors, report, lifeline;
};

[[noreturn]] void give_up(int report, int error) {
  [[maybe_unused]] const ssize_t told = ::write(report, &error, sizeof error);
  ::_exit(127);
}

void close_all_but(int kept) {
  if (kept > 0) ::syscall(SYS_close_range, 0U, static_cast<unsigned>(kept) - 1, 0);
  ::syscall(SYS_close_range, static_cast<unsigned>(kept) + 1, ~0U, 0);
}

[[noreturn]] void become_program(const Prepared& prepared, pid_t keeper) {
  // Moved above the places they go to, so that no copy overwrites one that is still needed.
  std::array<int, 3> ends = {prepared.input, prepared.output, prepared.errors};
  int report = ::fcntl(prepared.report, F_DUPFD_CLOEXEC, 10);
  bool good = report >= 0;
  for (int& end : ends) good = (end = ::fcntl(end, F_DUPFD_CLOEXEC, 10)) >= 0 && good;
  for (int target = 0; target < 3; ++target) good = good && ::dup2(ends[static_cast<std::size_t>(target)], target) >= 0;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Our signal settings are not those a fresh program expects.
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (::getppid() != keeper) ::_exit(1);  // it died before the kernel was told to watch
  if (good && (!prepared.directory || ::chdir(prepared.directory) == 0)) {
    // All but the report are closed on exec, also what a library opened without saying so.
    ::syscall(SYS_close_range, 3U, static_cast<unsigned>(report) - 1, 0);
    ::syscall(SYS_close_range, static_cast<unsigned>(report) + 1, ~0U, 0);
    ::execve(prepared.program, prepared.arguments, prepared.environment);
  }
  give_up(report, errno);
}

// The keeper: leads the process group, starts the program in it and waits for its end, or for ours: then nobody holds the other
// end of the lifeline any more, and the whole group is killed, whoever the program has started meanwhile (npx is three
// processes). It ends as the program did. Only the signal that nobody can refuse reaches it, and that reaches all of the group.
[[noreturn]] void become_keeper(const Prepared& prepared) {
  const pid_t own = ::getpid();
  ::setpgid(0, 0);
  sigset_t all;
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  const pid_t program = ::_Fork();
  if (program < 0) give_up(prepared.report, errno);
  if (program == 0) become_program(prepared, own);
  // What the program was given is its own: a pipe that it closes must be closed.
  close_all_but(prepared.lifeline);
  ::prctl(PR_SET_NAME, "holdfast-keeper");
  const auto ended = static_cast<int>(::syscall(SYS_pidfd_open, program, 0));
  pollfd watched[] = {{ended, POLLIN, 0}, {prepared.lifeline, POLLIN, 0}};
  do {
    if (::poll(watched, 2, -1) < 0 && errno != EINTR) break;
  } while (watched[0].revents == 0 && watched[1].revents == 0);
  if (ended < 0 || watched[0].revents == 0) ::kill(0, SIGKILL);  // this is its own end, too
  int status = 0;
  while (::waitpid(program, &status, 0) < 0 && errno == EINTR) {
  }
  // What it left behind ends with it. From outside of the group, to be able to say how the program ended.
  if (::setpgid(0, ::getpgid(::getppid())) != 0) ::kill(0, SIGKILL);
  ::kill(-own, SIGKILL);
  ::_exit(exit_code_of(status));
}

// What became of exec: 0 when it succeeded, for the pipe is closed by it.
int read_report(const Fd& report) {
  int error = 0;
  ssize_t got = 0;
  do {
    got = ::read(report.get(), &error, sizeof error);
  } while (got < 0 && errno == EINTR);
  return got == static_cast<ssize_t>(sizeof error) ? error : 0;
}

constexpr std::size_t kReadBytes = 64 * 1024;  // the size of a pipe
// After the end of the program: what its pipes still hold. A grandchild outside the group may go on writing for ever.
constexpr int kLastReads = 16;
// Written bytes are cut off the queue when they are this many, or all.
constexpr std::size_t kCutAt = 1 << 20;

}  // namespace

std::vector<std::string> small_environment() {
  std::vector<std::string> environment;
  for (const char* name : {"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"})
    if (const char* value = std::getenv(name)) environment.push_back(fmt::format("{}={}", name, value));
  return environment;
}

Result<StartedChild> start_child(const ChildStart& start) {
  if (start.arguments.empty() || start.arguments[0].empty()) return fail(ErrorKind::invalid, "no program to start");
  const auto has_nul = [](const std::string& text) { return text.find('\0') != text.npos; };
  if (std::ranges::any_of(start.arguments, has_nul) || std::ranges::any_of(start.environment, has_nul))
    return fail(ErrorKind::invalid, fmt::format("an argument or a variable of {} holds a NUL byte", start.arguments[0]));
  HF_TRY(const std::string program, find_program(start));
  HF_TRY(Pipe input, make_pipe());
  HF_TRY(Pipe output, make_pipe());
  HF_TRY(Pipe errors, make_pipe());
  HF_TRY(Pipe report, make_pipe());
  HF_TRY(Pipe lifeline, make_pipe());

  std::vector<std::string> arguments = start.arguments, environment = start.environment;
  const std::vector<char*> argument_pointers = pointers_to(arguments), environment_pointers = pointers_to(environment);
  const Prepared prepared{program.c_str(),
                          argument_pointers.data(),
                          environment_pointers.data(),
                          start.working_directory.empty() ? nullptr : start.working_directory.c_str(),
                          input.read.get(),
                          output.write.get(),
                          errors.write.get(),
                          report.write.get(),
                          lifeline.read.get()};
  const pid_t pid = ::fork();
  if (pid < 0) return fail(system_error("start " + program, errno));
  if (pid == 0) become_keeper(prepared);
  ::setpgid(pid, pid);  // both sides set it, so that it is set for whoever comes first
  report.write.reset();
  const int error = read_report(report.read);
  Fd ended(error == 0 ? static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)) : -1);
  if (error != 0 || !ended) {
    const int why = error != 0 ? error : errno;
    ::kill(-pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    const std::string in = start.working_directory.empty() ? "" : " in " + start.working_directory;
    return fail(system_error(fmt::format("start {}{}", program, in), why));
  }
  StartedChild child{
      pid, std::move(ended), std::move(input.write), std::move(output.read), std::move(errors.read), std::move(lifeline.write)};
  for (const Fd* ours : {&child.input, &child.output, &child.errors}) set_non_blocking(*ours);
  return child;
}

ChildProcess::ChildProcess(EventLoop& loop, StartedChild child, Events events)
    : loop_(loop), child_(std::move(child)), events_(std::move(events)) {}

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(EventLoop& loop, const ChildStart& start, Events events) {
  HF_TRY(StartedChild child, start_child(start));
  std::unique_ptr<ChildProcess> process(new ChildProcess(loop, std::move(child), std::move(events)));
  HF_CHECK(process->watch_all());
  return process;
}

Result<void> ChildProcess::watch_all() {
  output_watch_.ready = [this](std::uint32_t) { take_output(); };
  errors_watch_.ready = [this](std::uint32_t) { take(child_.errors, errors_watch_, events_.on_errors); };
  input_watch_.ready = [this](std::uint32_t events) {
    if (events & (EPOLLERR | EPOLLHUP)) return close_pipe(child_.input, input_watch_);  // told again and again otherwise
    flush();
  };
  end_watch_.ready = [this](std::uint32_t) { ended(); };
  HF_CHECK(loop_.watch(child_.output.get(), EPOLLIN, &output_watch_));
  HF_CHECK(loop_.watch(child_.errors.get(), EPOLLIN, &errors_watch_));
  HF_CHECK(loop_.watch(child_.input.get(), 0, &input_watch_));  // EPOLLERR is always told: its reader has gone
  return loop_.watch(child_.ended.get(), EPOLLIN, &end_watch_);
}

ChildProcess::~ChildProcess() {
  close_pipe(child_.input, input_watch_);
  close_pipe(child_.output, output_watch_);
  close_pipe(child_.errors, errors_watch_);
  close_pipe(child_.ended, end_watch_);
  if (running_) reap();
}

void ChildProcess::close_pipe(Fd& pipe, Watch& watch) {
  if (!pipe) return;
  loop_.unwatch(pipe.get(), &watch);
  pipe.reset();
}

bool ChildProcess::take(Fd& pipe, Watch& watch, const std::function<void(std::string_view)>& deliver) {
  if (!pipe) return false;
  static thread_local std::vector<char> buffer(kReadBytes);
  const ssize_t got = ::read(pipe.get(), buffer.data(), buffer.size());
  if (got > 0) {
    if (deliver) deliver({buffer.data(), static_cast<std::size_t>(got)});
    return true;
  }
  if (got < 0 && errno == EINTR) return true;
  if (got < 0 && errno == EAGAIN) return false;
  close_pipe(pipe, watch);
  return false;
}

void ChildProcess::take_output() {
  take(child_.output, output_watch_, events_.on_output);
  if (!child_.output && events_.on_output_end) events_.on_output_end();
}

void ChildProcess::write(std::string_view bytes) {
  if (!child_.input || closing_input_) return;
  pending_ += bytes;
  if (!waits_to_write_) flush();
}

void ChildProcess::close_input() {
  closing_input_ = true;
  flush();
}

void ChildProcess::flush() {
  if (!child_.input) return;
  const WithoutSigpipe guard;
  while (unwritten() > 0) {
    const ssize_t sent = ::write(child_.input.get(), pending_.data() + written_, unwritten());
    if (sent >= 0) {
      written_ += static_cast<std::size_t>(sent);
    } else if (errno != EINTR) {
      break;
    }
  }
  const bool blocked = unwritten() > 0 && errno == EAGAIN;
  if (unwritten() == 0 || written_ >= kCutAt) {
    pending_.erase(0, written_);
    written_ = 0;
  }
  if (blocked != waits_to_write_) {
    waits_to_write_ = blocked;
    loop_.change(child_.input.get(), blocked ? std::uint32_t{EPOLLOUT} : 0, &input_watch_);
  }
  // Nobody reads any more: that it ended is told in its own way.
  const bool broken = unwritten() > 0 && !blocked;
  if (broken) pending_.clear(), written_ = 0;
  if (broken || (closing_input_ && unwritten() == 0)) close_pipe(child_.input, input_watch_);
}

void ChildProcess::signal(int number) {
  if (running_) ::kill(-child_.pid, number);
}

int ChildProcess::reap() {
  ::kill(-child_.pid, SIGKILL);
  int status = 0;
  while (::waitpid(child_.pid, &status, 0) < 0 && errno == EINTR) {
  }
  running_ = false;
  return exit_code_of(status);
}

void ChildProcess::ended() {
  close_pipe(child_.ended, end_watch_);
  // Not yet waited for, so its number, and that of its group, cannot belong to others.
  const int code = reap();
  for (int reads = 0; reads < kLastReads && take(child_.output, output_watch_, events_.on_output); ++reads) {
  }
  for (int reads = 0; reads < kLastReads && take(child_.errors, errors_watch_, events_.on_errors); ++reads) {
  }
  close_pipe(child_.output, output_watch_);
  close_pipe(child_.errors, errors_watch_);
  close_pipe(child_.input, input_watch_);
  if (events_.on_exit) events_.on_exit(code);
}

}  // namespace holdfast::net
