#pragma once

// A client in a test: a transport in memory whose other end is the test, or a server of ours behind its pipe
// transport, all on one loop that the test turns by hand.

#include "base/files/fd.h"
#include "mcp/client/client.h"
#include "mcp/server/test_server.h"
#include "mcp/transport/transport_stdio.h"

#include <fcntl.h>

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::mcp {

// An executor whose time is the test's: nothing depends on how fast the machine is. One thread.
class ManualExecutor final : public Executor {
 public:
  void post(Task task) override { posted_.push_back(std::move(task)); }
  TimerId after(std::chrono::milliseconds delay, Task task) override {
    timers_.emplace(std::pair(now_ + delay, ++last_timer_), std::move(task));
    return last_timer_;
  }
  void cancel(TimerId timer) override {
    std::erase_if(timers_, [&](const auto& entry) { return entry.first.second == timer; });
  }

  std::chrono::milliseconds now() const { return now_; }
  void run_ready() {
    while (!posted_.empty()) {
      Task task = std::move(posted_.front());
      posted_.pop_front();
      task();
    }
  }
  void advance(std::chrono::milliseconds by) {
    const auto until = now_ + by;
    for (run_ready(); !timers_.empty() && timers_.begin()->first.first <= until; run_ready()) {
      auto timer = timers_.extract(timers_.begin());
      now_ = timer.key().first;
      timer.mapped()();
    }
    now_ = until;
  }

 private:
  std::chrono::milliseconds now_{0};
  std::deque<Task> posted_;
  std::map<std::pair<std::chrono::milliseconds, TimerId>, Task> timers_;
  TimerId last_timer_ = 0;
};

// What the test sees of one connection. Outlives its transport.
struct MemoryWire {
  std::vector<Json> sent;          // messages of the client
  std::vector<Outgoing> outgoing;  // the same, as given to the transport
  std::vector<RequestId> abandoned;
  ClientTransport::Listener* listener = nullptr;
  bool closed = false;
  bool awaits_permission = false;
  int looked_at = 0;  // how often somebody wanted to know that

  void say(const std::string& text) { listener->on_message(parse_json(text).value(), status); }
  int status = 0;
};

class MemoryTransport final : public ClientTransport {
 public:
  MemoryTransport(std::shared_ptr<MemoryWire> wire, Executor& executor, bool http)
      : wire_(std::move(wire)), executor_(executor), http_(http) {}

  Result<void> open(Listener& listener) override {
    wire_->listener = &listener;
    return {};
  }
  Result<void> send(Outgoing message) override {
    wire_->sent.push_back(parse_json(message.text).value());
    wire_->outgoing.push_back(std::move(message));
    return {};
  }
  void abandon(RequestId id) override { wire_->abandoned.push_back(id); }
  void close(Task done) override {
    wire_->closed = true;
    wire_->listener = nullptr;
    executor_.post(std::move(done));
  }
  bool is_http() const override { return http_; }
  bool awaits_permission() const override {
    ++wire_->looked_at;
    return wire_->awaits_permission;
  }

 private:
  std::shared_ptr<MemoryWire> wire_;
  Executor& executor_;
  bool http_;
};

// Our own server behind a pipe; everything on the server's loop.
class PipeTransport final : public ClientTransport {
 public:
  explicit PipeTransport(TestServer& server) : loop_(server.loop) {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    read_ = Fd(ends[0]);
    write_ = Fd(ends[1]);
    ::fcntl(write_.get(), F_SETPIPE_SZ, 1 << 20);  // both ends are on one thread: it must never be full
    stdio_ = std::make_unique<StdioTransport>(server.server, server.loop, -1, write_.get(), "local");
  }
  ~PipeTransport() override { loop_.unwatch(read_.get()); }

  Result<void> open(Listener& listener) override {
    loop_.watch(read_.get(), [this, &listener] {
      char buffer[64 * 1024];
      const ssize_t got = ::read(read_.get(), buffer, sizeof buffer);
      if (got > 0) text_.append(buffer, static_cast<std::size_t>(got));
      for (std::size_t end; !closed_ && (end = text_.find('\n')) != text_.npos;) {
        Json value = parse_json(text_.substr(0, end)).value();
        text_.erase(0, end + 1);
        listener.on_message(std::move(value), 0);
      }
    });
    return {};
  }
  Result<void> send(Outgoing message) override {
    stdio_->take_line(message.text);
    return {};
  }
  void close(Task done) override {
    closed_ = true;
    loop_.unwatch(read_.get());
    loop_.post(std::move(done));
  }

 private:
  PollLoop& loop_;
  Fd read_, write_;
  std::unique_ptr<StdioTransport> stdio_;
  std::string text_;
  bool closed_ = false;
};

// The last answer of a call: empty until it is there.
template <class T>
struct Got {
  std::optional<CallResult<T>> result;

  auto take() {
    return [this](CallResult<T> answer) {
      EXPECT_FALSE(result) << "answered twice";
      result = std::move(answer);
    };
  }
  explicit operator bool() const { return result.has_value(); }
  const T& value() const { return result->value(); }
  const CallError& error() const { return result->error(); }
};

inline std::string result_of(const Json& request, const std::string& result) {
  return R"({"jsonrpc":"2.0","id":)" + to_json(at(request, "id")) + R"(,"result":)" + result + "}";
}
inline std::string error_of(const Json& request, const std::string& error) {
  return R"({"jsonrpc":"2.0","id":)" + to_json(at(request, "id")) + R"(,"error":)" + error + "}";
}

inline constexpr const char* kDiscovery =
    R"({"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"public",)"
    R"("_meta":{"io.modelcontextprotocol/serverInfo":{"name":"m","version":"1"}}})";
inline constexpr const char* kWelcome =
    R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"l","version":"1"}})";
inline constexpr const char* kNoSuchMethod = R"({"code":-32601,"message":"Method not found"})";

}  // namespace holdfast::mcp
