#include "net/run/child_process.h"

#include "net/run/exec_parts.h"
#include "net/run/without_sigpipe.h"

#include <sys/epoll.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <vector>

namespace holdfast::net {
namespace {

constexpr std::size_t kReadBytes = 64 * 1024;  // the size of a pipe
// After the end of the program: what its pipes still hold. A grandchild outside the group may go on writing for ever.
constexpr int kLastReads = 16;
// Written bytes are cut off the queue when they are this many, or all.
constexpr std::size_t kCutAt = 1 << 20;

}  // namespace

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
