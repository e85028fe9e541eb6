#include "mcp/transport/transport_child.h"

#include "base/run/lifeline.h"
#include "base/run/log.h"
#include "base/text/text.h"
#include "mcp/client/client_limits.h"
#include "mcp/wire/rpc.h"
#include "net/run/child_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <utility>

namespace holdfast::mcp {
namespace {

net::ChildStart start_of(const ChildServer& server) {
  net::ChildStart start;
  start.arguments.push_back(server.command);
  start.arguments.insert(start.arguments.end(), server.arguments.begin(), server.arguments.end());
  start.environment = net::small_environment();
  for (const auto& [name, value] : server.environment) {
    std::erase_if(start.environment, [&](const std::string& entry) { return entry.starts_with(name + '='); });
    start.environment.push_back(name + '=' + value);
  }
  start.working_directory = server.working_directory;
  return start;
}

class ChildTransport final : public ClientTransport {
 public:
  ChildTransport(net::EventLoop& loop, ChildServer server) : loop_(loop), server_(std::move(server)) {}
  ~ChildTransport() override { loop_.cancel(stop_timer_); }

  Result<void> open(Listener& listener) override;
  Result<void> send(Outgoing message) override;
  void close(Task done) override;
  std::string last_words() const override { return to_valid_utf8(stderr_); }
  std::uint64_t garbage() const override { return garbage_; }

 private:
  void take_output(std::string_view bytes);
  void take_line(std::string_view line);
  void take_errors(std::string_view bytes);
  void exited(int code);
  void lose(Error why);
  void stop(int signal);

  net::EventLoop& loop_;
  ChildServer server_;
  Listener* listener_ = nullptr;  // null once nothing more may be told
  std::unique_ptr<net::ChildProcess> process_;
  std::string line_;  // what has been read of an unfinished one
  std::string stderr_;
  std::uint64_t garbage_ = 0;
  int garbage_in_a_row_ = 0;
  bool closing_ = false;
  TimerId stop_timer_ = 0;
  Task closed_;
  Lifeline alive_;
};

Result<void> ChildTransport::open(Listener& listener) {
  net::ChildProcess::Events events;
  events.on_output = [this](std::string_view bytes) { take_output(bytes); };
  events.on_errors = [this](std::string_view bytes) { take_errors(bytes); };
  // It usually ends at the same time; why it ended says more, so that is waited for.
  events.on_output_end = [this] {
    loop_.after(kStopGrace, alive_.guard([this] {
      lose(make_error(ErrorKind::unavailable, fmt::format("{} closed its output", server_.command)));
    }));
  };
  events.on_exit = [this](int code) { exited(code); };
  HF_TRY(process_, net::ChildProcess::start(loop_, start_of(server_), std::move(events)));
  listener_ = &listener;
  return {};
}

Result<void> ChildTransport::send(Outgoing message) {
  if (!process_ || !process_->running() || closing_)
    return fail(ErrorKind::unavailable, fmt::format("{} does not run", server_.command));
  if (process_->unwritten() + message.text.size() > kMaxUnreadBytes)
    return fail(ErrorKind::unavailable,
                fmt::format("{} does not read its input: {} bytes wait for it", server_.command, process_->unwritten()));
  message.text += '\n';
  process_->write(message.text);
  return {};
}

void ChildTransport::take_output(std::string_view bytes) {
  while (!bytes.empty() && listener_) {
    const std::size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    if (line_.size() + part.size() > kMaxIncomingBytes) {
      line_ = {};
      return lose(make_error(ErrorKind::too_large,
                             fmt::format("{} sent a message of more than {} bytes", server_.command, kMaxIncomingBytes)));
    }
    if (end == std::string_view::npos) {
      line_ += part;
      return;
    }
    bytes.remove_prefix(end + 1);
    if (line_.empty()) {
      take_line(part);
    } else {
      line_ += part;
      take_line(std::exchange(line_, {}));
    }
  }
}

void ChildTransport::take_line(std::string_view line) {
  line = trim(line);
  if (line.empty()) return;
  auto value = parse_incoming(line, server_.command);
  if (value && (value->is_object() || value->is_array())) {
    garbage_in_a_row_ = 0;
    return listener_->on_message(*std::move(value), 0);
  }
  ++garbage_;
  log(LogLevel::debug, "mcp", fmt::format("{} printed what is no message: {}", server_.command, utf8_prefix(line, 200)));
  if (++garbage_in_a_row_ >= kMaxGarbageInARow)
    lose(make_error(ErrorKind::corrupt, fmt::format("{} printed {} lines in a row that are no messages, the last: {}",
                                                    server_.command, kMaxGarbageInARow, to_valid_utf8(line.substr(0, 200)))));
}

void ChildTransport::take_errors(std::string_view bytes) {
  stderr_ += bytes;
  // Cut in large steps: erasing the front for each line that a chatty server prints would move 64 KiB each time.
  if (stderr_.size() > 2 * kKeptStderr) stderr_.erase(0, stderr_.size() - kKeptStderr);
}

void ChildTransport::exited(int code) {
  loop_.cancel(std::exchange(stop_timer_, 0));
  if (closed_) return loop_.post(std::exchange(closed_, nullptr));
  const std::string words = last_words();
  const std::size_t shown = std::min(words.size(), kShownStderr);
  lose(make_error(
      ErrorKind::unavailable,
      fmt::format("{} ended with exit code {}{}", server_.command, code,
                  words.empty() ? "" : "; it said: " + to_valid_utf8(std::string_view(words).substr(words.size() - shown))),
      "look at what it said on stderr"));
}

// Told later: the listener closes us, and we are in the middle of something.
void ChildTransport::lose(Error why) {
  if (!listener_) return;
  loop_.post(alive_.guard([this, why = std::move(why), listener = std::exchange(listener_, nullptr)]() mutable {
    if (!closing_) listener->on_lost(std::move(why));
  }));
}

void ChildTransport::close(Task done) {
  listener_ = nullptr;
  closing_ = true;
  if (!process_ || !process_->running()) return loop_.post(std::move(done));
  closed_ = std::move(done);
  process_->close_input();
  stop(SIGTERM);
}

// After a while without success, by this signal; then by the one that cannot be ignored.
void ChildTransport::stop(int signal) {
  stop_timer_ = loop_.after(kStopGrace, [this, signal] {
    process_->signal(signal);
    stop(SIGKILL);
  });
}

}  // namespace

TransportMaker child_transport_maker(net::EventLoop& loop, ChildServer server) {
  return [&loop, server = std::move(server)]() -> Result<std::unique_ptr<ClientTransport>> {
    return std::make_unique<ChildTransport>(loop, server);
  };
}

}  // namespace holdfast::mcp
