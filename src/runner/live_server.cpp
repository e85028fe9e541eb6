#include "runner/live_server.h"

#include "base/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <thread>

namespace holdfast::runner {

namespace {

// The filesystem server's way of saying which folders it allows.
constexpr std::string_view kUsualProbe = "list_allowed_directories";
constexpr std::chrono::milliseconds kFirstPoll{1}, kLongestPoll{50};

using Time = std::chrono::steady_clock;

std::vector<std::string> paths_of(const RootsView& roots) {
  std::vector<std::string> paths;
  for (const Root& root : roots->roots) paths.push_back(root.folder.path);
  return paths;
}

JsonObject roots_result(const std::vector<Root>& roots) {
  JsonArray list;
  for (const Root& root : roots) list.emplace_back(JsonObject{{"uri", root.uri}, {"name", root.name}});
  return {{"roots", std::move(list)}};
}

// Every line of the answer that is an absolute path.
std::set<std::string> paths_in(const JsonObject& result) {
  std::set<std::string> paths;
  const JsonArray* content = find_array(result, "content");
  if (!content) return paths;
  for (const Json& item : *content) {
    if (!item.is_object()) continue;
    std::string_view text = find_string(item.as_object(), "text").value_or("");
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      std::string_view line = text.substr(0, end);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      while (line.ends_with('\r') || (line.size() > 1 && line.ends_with('/'))) line.remove_suffix(1);
      if (line.starts_with('/')) paths.emplace(line);
    }
  }
  return paths;
}

bool takes_away(const RootsView& before, const RootsView& after) {
  if (!before) return false;
  return std::ranges::any_of(before->roots, [&](const Root& old) {
    return std::ranges::none_of(after->roots, [&](const Root& now) { return is_at_or_below(old.folder.path, now.folder.path); });
  });
}

}  // namespace

std::string_view name_of(RootsMode mode) {
  switch (mode) {
    case RootsMode::none:
      return "none";
    case RootsMode::per_request:
      return "per_request";
    case RootsMode::notified:
      return "notified";
    case RootsMode::reconnected:
      return "reconnected";
    case RootsMode::closed:
      return "closed";
  }
  return "";
}

// How often the server has asked for roots; counted on the executor's thread, waited for on others. Lives as long as the last
// handler that may be called.
struct LiveServer::Asked {
  std::mutex mutex;
  std::condition_variable changed;
  std::uint64_t times = 0;
};

// Calls go through one by one or together; a change of roots goes through alone.
class LiveServer::Gate {
 public:
  struct Pass {
    Gate* gate = nullptr;
    std::uint64_t number = 0;
    explicit Pass(Gate& through) : gate(&through), number(through.enter()) {}
    ~Pass() { gate->leave(number); }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    std::stop_token stop() const { return gate->stop_of(number); }
  };

  // False: calls are still under way.
  bool shut(std::chrono::milliseconds patience, bool cancel) {
    std::unique_lock lock(mutex_);
    shut_ = true;
    if (changed_.wait_for(lock, patience, [this] { return inside_.empty(); })) return true;
    if (cancel) {
      for (auto& [number, stop] : inside_) stop.request_stop();
      if (changed_.wait_for(lock, patience, [this] { return inside_.empty(); })) return true;
    }
    shut_ = false;
    changed_.notify_all();
    return false;
  }
  void open() {
    const std::lock_guard lock(mutex_);
    shut_ = false;
    changed_.notify_all();
  }

 private:
  std::uint64_t enter() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !shut_; });
    inside_.emplace(++last_, std::stop_source());
    return last_;
  }
  void leave(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    inside_.erase(number);
    changed_.notify_all();
  }
  std::stop_token stop_of(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    return inside_.at(number).get_token();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool shut_ = false;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, std::stop_source> inside_;
};

LiveServer::LiveServer(Executor& executor, ServerDefinition server, Roots& roots, Connect connect, LiveOptions options)
    : executor_(executor),
      server_(std::move(server)),
      roots_(roots),
      connect_(std::move(connect)),
      options_(std::move(options)),
      asked_(std::make_shared<Asked>()),
      gate_(std::make_unique<Gate>()) {}

LiveServer::~LiveServer() {
  close();
}

Result<void> LiveServer::open_client() {
  mcp::ClientHandlers handlers;
  handlers.roots = [this, asked = asked_](const JsonObject&, const std::function<void(mcp::InputAnswer)>& answer) {
    const std::vector<Root> there = roots_.available();
    if (there.empty())
      answer(std::unexpected(mcp::RpcError{mcp::code::kInternal, "none of the folders is there", {}}));
    else
      answer(roots_result(there));
    const std::lock_guard lock(asked->mutex);
    ++asked->times;
    asked->changed.notify_all();
  };
  std::vector<std::string> folders;
  if (server_.roots_at) folders = paths_of(roots_.snapshot());
  auto client =
      std::make_shared<mcp::BlockingClient>(executor_, options_.client, std::move(handlers), connect_(server_, folders));
  HF_CHECK(client->connect());
  const std::lock_guard lock(client_mutex_);
  client_ = std::move(client);
  return {};
}

Result<RootsApplied> LiveServer::start() {
  const std::lock_guard one_at_a_time(updates_);
  return restart(roots_.snapshot());
}

bool LiveServer::wait_for_question(std::uint64_t after, std::chrono::milliseconds patience) {
  std::unique_lock lock(asked_->mutex);
  return asked_->changed.wait_for(lock, patience, [&] { return asked_->times > after; });
}

Result<RootsApplied> LiveServer::apply_roots() {
  const std::lock_guard one_at_a_time(updates_);
  // Whoever waited here finds the newest: what came in between is not told.
  const RootsView wanted = roots_.snapshot();
  if (applied_ && wanted->generation == applied_->generation) return RootsApplied{RootsMode::none, wanted->generation, {}, true};
  if (!gate_->shut(options_.drain, options_.cancel_busy))
    return fail(ErrorKind::conflict, fmt::format("{} is busy: calls are under way", server_.name),
                "wait for them, or cancel them, before the folders change", "busy");
  const auto begun = Time::now();
  auto applied = change(wanted, takes_away(applied_, wanted));
  if (!applied) applied = restart(wanted);
  gate_->open();
  if (!applied) return fail(applied.error());
  applied->elapsed = std::chrono::duration_cast<std::chrono::microseconds>(Time::now() - begun);
  return applied;
}

Result<RootsApplied> LiveServer::change(const RootsView& wanted, bool narrows) {
  RootsApplied applied{RootsMode::none, wanted->generation, {}, false};
  std::shared_ptr<mcp::BlockingClient> client;
  {
    const std::lock_guard lock(client_mutex_);
    client = client_;
  }
  if (wanted->roots.empty()) {
    close();
    applied_ = wanted;
    applied.mode = RootsMode::closed;
    return applied;
  }
  const auto peer = client ? client->peer() : std::nullopt;
  if (!peer || ignores_roots_ || server_.roots_at) return restart(wanted);
  if (peer->era() == mcp::Era::modern) {
    applied.mode = RootsMode::per_request;
    applied.verified = true;  // each call asks for them
    applied_ = wanted;
    return applied;
  }
  std::uint64_t asked_before = 0;
  {
    const std::lock_guard lock(asked_->mutex);
    asked_before = asked_->times;
  }
  if (asked_before == 0 || (options_.strict_roots && narrows && probe_tool().empty())) return restart(wanted);
  HF_CHECK(client->notify("notifications/roots/list_changed", {}));
  if (!wait_for_question(asked_before, options_.question))
    return fail(ErrorKind::timeout, fmt::format("{} did not ask for the new folders", server_.name));
  applied.mode = RootsMode::notified;
  if (probe_tool().empty()) {
    std::this_thread::sleep_for(options_.settle);
  } else {
    applied.verified = fence(wanted);
    if (!applied.verified) return fail(ErrorKind::timeout, fmt::format("{} did not take over the new folders", server_.name));
  }
  applied_ = wanted;
  return applied;
}

// A connection of its own for these folders.
Result<RootsApplied> LiveServer::restart(const RootsView& wanted) {
  close();
  RootsApplied applied{RootsMode::reconnected, wanted->generation, {}, false};
  if (wanted->roots.empty()) {
    applied.mode = RootsMode::closed;
    applied_ = wanted;
    return applied;
  }
  std::uint64_t asked_before = 0;
  {
    const std::lock_guard lock(asked_->mutex);
    asked_before = asked_->times;
  }
  applied_.reset();
  HF_CHECK(open_client());
  const auto peer = client_->peer();
  if (peer && peer->era() == mcp::Era::modern) {
    applied.verified = true;
  } else if (server_.roots_at) {
    applied.verified = !probe_tool().empty() && fence(wanted);
  } else if (wait_for_question(asked_before, options_.first_question)) {
    applied.verified = !probe_tool().empty() && fence(wanted);
  } else {
    ignores_roots_ = true;
    log(LogLevel::info, "runner", fmt::format("{} does not ask for roots: it is started anew when folders change", server_.name));
  }
  applied_ = wanted;
  return applied;
}

std::string LiveServer::probe_tool() {
  if (!server_.probe_tool.empty()) return server_.probe_tool;
  const auto known = tools();
  return known && (*known)->find(kUsualProbe) ? std::string(kUsualProbe) : std::string();
}

// Asks until the server names exactly these folders.
bool LiveServer::fence(const RootsView& wanted) {
  std::shared_ptr<mcp::BlockingClient> client;
  {
    const std::lock_guard lock(client_mutex_);
    client = client_;
  }
  std::set<std::string> expected;
  for (const Root& root : roots_.available()) expected.insert(root.folder.path);
  if (roots_.snapshot()->generation != wanted->generation || expected.empty()) return false;
  const std::string probe = probe_tool();
  const auto until = Time::now() + options_.fence;
  for (auto pause = kFirstPoll; Time::now() < until; pause = std::min(pause * 2, kLongestPoll)) {
    mcp::CallOptions options;
    options.timeout = options_.fence;
    const auto answer = client->call_tool(probe, {}, options);
    if (!answer) return false;
    if (paths_in(*answer) == expected) return true;
    std::this_thread::sleep_for(pause);
  }
  return false;
}

mcp::CallResult<JsonObject> LiveServer::call_tool(std::string name, JsonObject arguments, mcp::CallOptions options,
                                                  std::stop_token stop) {
  const Gate::Pass pass(*gate_);
  std::shared_ptr<mcp::BlockingClient> client;
  {
    const std::lock_guard lock(client_mutex_);
    client = client_;
  }
  if (!client || roots_.available().empty())
    return mcp::call_failed(make_error(ErrorKind::unavailable, fmt::format("{} has no folders to work in", server_.name),
                                       "set the roots to folders that exist", "no_roots"));
  // Either the caller's wish or a change of folders that cannot wait ends the call.
  std::stop_source either;
  const std::stop_callback by_caller(std::move(stop), [&] { either.request_stop(); });
  const std::stop_callback by_change(pass.stop(), [&] { either.request_stop(); });
  return client->call_tool(std::move(name), std::move(arguments), std::move(options), either.get_token());
}

mcp::CallResult<std::shared_ptr<const mcp::ToolList>> LiveServer::tools() {
  std::shared_ptr<mcp::BlockingClient> client;
  {
    const std::lock_guard lock(client_mutex_);
    client = client_;
  }
  if (!client) return mcp::call_failed(make_error(ErrorKind::unavailable, fmt::format("{} is not connected", server_.name)));
  return client->tools();
}

std::string LiveServer::last_words() {
  const std::lock_guard lock(client_mutex_);
  return client_ ? client_->last_words() : std::string();
}

mcp::ClientCounts LiveServer::counts() {
  const std::lock_guard lock(client_mutex_);
  return client_ ? client_->counts() : mcp::ClientCounts{};
}

void LiveServer::close() {
  std::shared_ptr<mcp::BlockingClient> client;
  {
    const std::lock_guard lock(client_mutex_);
    client = std::move(client_);
    client_.reset();
  }
  if (client) client->close();
}

}  // namespace holdfast::runner
