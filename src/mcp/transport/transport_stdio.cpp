#include "mcp/transport/transport_stdio.h"

#include "base/files/file.h"
#include "base/run/log.h"
#include "base/text/text.h"
#include "mcp/wire/batch.h"
#include "mcp/wire/limits.h"

#include <unistd.h>

#include <cerrno>
#include <exception>
#include <utility>

namespace holdfast::mcp {

namespace {

constexpr std::size_t kReadBytes = 64 * 1024;
// After the input has ended: a script that wrote its requests and closed the pipe still wants the answers.
constexpr std::chrono::milliseconds kLastWait{10'000};
constexpr std::chrono::milliseconds kLastPoll{5};

}  // namespace

// Collects what is written while input is being handled, so that many answers take one system call.
class StdioTransport::Pipe {
 public:
  explicit Pipe(int out) : out_(out) {}

  void write_line(std::string_view text) {
    pending_ += text;
    pending_ += '\n';
    if (!corked_) flush();
  }
  void cork() { corked_ = true; }
  void uncork() {
    corked_ = false;
    flush();
  }

 private:
  void flush() {
    if (pending_.empty() || broken_) return;
    if (auto written = write_all(out_, pending_); !written) {
      broken_ = true;
      log(LogLevel::warn, "mcp", "cannot write to the client: " + written.error().message);
    }
    pending_.clear();
  }

  int out_;
  std::string pending_;
  bool corked_ = false, broken_ = false;
};

class StdioTransport::PipeOutlet final : public Outlet {
 public:
  explicit PipeOutlet(std::shared_ptr<Pipe> pipe) : pipe_(std::move(pipe)) {}
  void send(std::string message) override { pipe_->write_line(message); }
  void finish(std::string response, int) override { pipe_->write_line(response); }
  void drop() override {}

 private:
  std::shared_ptr<Pipe> pipe_;
};

StdioTransport::StdioTransport(Server& server, PollLoop& loop, int in, int out, std::string principal)
    : server_(server), loop_(loop), in_(in), pipe_(std::make_shared<Pipe>(out)), connection_(std::make_shared<Connection>()) {
  connection_->key = "stdio";
  identity_ = full_identity(principal);
  connection_->principal = std::move(principal);
  connection_->transport = Transport::stdio;
  connection_->send = [pipe = pipe_](std::string message) { pipe->write_line(message); };
  server_.attach(connection_);
}

StdioTransport::~StdioTransport() {
  cancel_all();
}

void StdioTransport::run() {
  server_.bind_io_thread();
  loop_.watch(in_, [this] { on_readable(); });
  loop_.run();
}

void StdioTransport::on_readable() {
  char buffer[kReadBytes];
  ssize_t count = ::read(in_, buffer, sizeof buffer);
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (count <= 0) return input_ended();
  pipe_->cork();
  try {
    take_bytes({buffer, static_cast<std::size_t>(count)});
  } catch (const std::exception& problem) {  // not even an answer could be made
    log(LogLevel::error, "mcp", std::string("a message was lost: ") + problem.what());
  }
  pipe_->uncork();
}

void StdioTransport::take_bytes(std::string_view bytes) {
  while (!bytes.empty()) {
    std::size_t end = bytes.find('\n');
    std::string_view part = bytes.substr(0, end);
    if (!skipping_ && line_.size() + part.size() > kMaxLineBytes) {
      skipping_ = true;
      line_ = {};
      refuse(nullptr, {code::kInvalidRequest, "a message may have at most " + std::to_string(kMaxLineBytes) + " bytes", nullptr});
    }
    if (end == std::string_view::npos) {
      if (!skipping_) guarded(true, [&] { line_ += part; });
      return;
    }
    bytes.remove_prefix(end + 1);
    if (skipping_) {
      skipping_ = false;
    } else if (line_.empty()) {
      guarded(false, [&] { take_line(part); });
    } else {
      guarded(false, [&] {
        line_ += part;
        const std::string line = std::exchange(line_, {});
        take_line(line);
      });
    }
  }
}

// Memory may be out at any moment of reading a message. Then it is answered with an error and what is left of it is skipped: the
// next one may fit again.
template <class Work>
void StdioTransport::guarded(bool within_line, const Work& work) {
  try {
    work();
  } catch (const std::exception& problem) {
    line_ = {};
    skipping_ = within_line;
    log(LogLevel::error, "mcp", std::string("a message was given up: ") + problem.what());
    refuse(nullptr,
           {code::kInternal, std::string("this message could not be read: ") + problem.what() + ". Try again.", nullptr});
  }
}

void StdioTransport::take_line(std::string_view line) {
  if (trim(line).empty()) return;
  auto value = parse_json(line);
  if (!value) return refuse(nullptr, {code::kParse, value.error().message, nullptr});
  if (value->is_array()) return take_batch(std::move(value->get_array()));
  take_message(std::move(*value), std::make_shared<PipeOutlet>(pipe_));
}

void StdioTransport::take_batch(JsonArray messages) {
  const auto& handshake = connection_->handshake;
  if (!handshake || handshake->version != Version::v2025_03_26)
    return refuse(nullptr, {code::kInvalidRequest, "batches exist only in protocol 2025-03-26", nullptr});
  if (messages.empty() || messages.size() > kMaxBatch)
    return refuse(nullptr, {code::kInvalidRequest, "a batch has 1 to " + std::to_string(kMaxBatch) + " messages", nullptr});
  auto batch = std::make_shared<Batch>([pipe = pipe_](std::string message) { pipe->write_line(message); },
                                       [pipe = pipe_](std::string responses) {
                                         if (!responses.empty()) pipe->write_line(responses);
                                       });
  for (Json& value : messages) {
    auto message = read_message(std::move(value));
    if (!message) {
      if (!message.error().is_notification) batch->add_response(write_error(message.error().id, message.error().error));
    } else if (message->kind == Message::Kind::request) {
      if (message->method == "initialize" || Server::claims_modern(message->params))
        batch->add_response(
            write_error(message->id, {code::kInvalidRequest, message->method + " must not be in a batch", nullptr}));
      else
        server_.handle_legacy(std::move(*message), connection_, batch->add_part());
    } else if (message->kind == Message::Kind::notification) {
      server_.take_notification(*message, *connection_);
    } else {
      server_.take_response(*message, *connection_);
    }
  }
  batch->seal();
}

void StdioTransport::take_message(Json value, const std::shared_ptr<Outlet>& outlet) {
  auto message = read_message(std::move(value));
  if (!message) {
    if (message.error().is_notification) return;  // never answered, not even when it is broken
    return refuse(message.error().id, message.error().error);
  }
  switch (message->kind) {
    case Message::Kind::request:
      return take_request(std::move(*message), outlet);
    case Message::Kind::notification:
      return server_.take_notification(*message, *connection_);
    case Message::Kind::response:
      server_.take_response(*message, *connection_);
      return;
  }
}

void StdioTransport::take_request(Message request, const std::shared_ptr<Outlet>& outlet) {
  if (Server::claims_modern(request.params) || request.method == "server/discover") {
    std::string version;
    auto caller = Server::read_envelope(request, Transport::stdio, identity_, version);
    if (!caller) return refuse(request.id, caller.error());
    if (auto error = Server::check_modern_version(version)) return refuse(request.id, std::move(*error));
    (*caller)->connection = connection_->key;
    server_.handle_modern(std::move(request), std::move(*caller), connection_, outlet);
    return;
  }
  if (request.method == "initialize") return initialize(request, outlet);
  if (connection_->handshake) {
    server_.handle_legacy(std::move(request), connection_, outlet);
    return;
  }
  if (request.method == "ping") return outlet->finish(write_result(request.id, {}), 200);
  refuse(request.id,
         {code::kInvalidRequest,
          "not initialized: send initialize first, or the 2026-07-28 envelope in params._meta with every request", nullptr});
}

void StdioTransport::initialize(const Message& request, const std::shared_ptr<Outlet>& outlet) {
  if (connection_->handshake) return refuse(request.id, {code::kInvalidRequest, "already initialized", nullptr});
  auto handshake = server_.handshake(request, Transport::stdio, identity_, connection_->key);
  if (!handshake) return refuse(request.id, handshake.error());
  connection_->handshake = handshake->caller;
  outlet->finish(write_result(request.id, handshake->result), 200);
}

void StdioTransport::refuse(const Json& id, RpcError error) {
  ++server_.tally().errors;
  pipe_->write_line(write_error(id, error));
}

void StdioTransport::cancel_all() {
  for (auto running = connection_->running; auto& [id, run] : running) run->cancel();
}

// Nobody is left to answer; the calls that asked can still be finished.
void StdioTransport::fail_questions() {
  Message gone;
  gone.kind = Message::Kind::response;
  gone.is_error = true;
  gone.error.message = "the input has ended";
  auto asked = std::exchange(connection_->asked, {});
  for (auto& [id, answered] : asked) answered(gone);
}

void StdioTransport::input_ended() {
  loop_.unwatch(in_);
  if (!skipping_ && !line_.empty()) take_line(std::exchange(line_, {}));  // a last line without its newline
  if (left_) left_();
  auto deadline = std::chrono::steady_clock::now() + kLastWait;
  auto check = std::make_shared<std::function<void()>>();
  *check = [this, deadline, weak = std::weak_ptr(check)] {
    auto self = weak.lock();
    fail_questions();
    if (!connection_->running.empty() && std::chrono::steady_clock::now() < deadline) {
      loop_.after(kLastPoll, [self] { (*self)(); });
      return;
    }
    cancel_all();
    server_.shut_down();
    loop_.stop();
  };
  (*check)();
}

}  // namespace holdfast::mcp
