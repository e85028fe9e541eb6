#include "kinds/runner/servers/live_server.h"

#include "base/files/at_or_below.h"
#include "base/run/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

namespace holdfast::runner {
namespace {

// The filesystem server's way of saying which folders it allows.
constexpr std::string_view kUsualProbe = "list_allowed_directories";
constexpr std::chrono::milliseconds kFirstPoll{1}, kLongestPoll{50};
constexpr std::chrono::milliseconds kLeastForSlow{1'000};        // for a call
constexpr int kEagerPolls = 10;                                  // without a pause: most servers are done after five (§2.1)
constexpr std::string_view kConnectionLost = "connection_lost";  // mcp/client/client.h

using Time = std::chrono::steady_clock;

// What is left of the time for something that was not answered last time.
std::chrono::milliseconds patience(std::chrono::milliseconds whole, bool answered) {
  return answered ? whole : whole / 10;
}

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

Error stopped(const ServerDefinition& server) {
  return make_error(ErrorKind::cancelled, fmt::format("the call of {} was cancelled", server.name));
}

// Calls are repeated here, once the new connection knows its folders, and not by the client, which does not wait for that.
LiveOptions own_repeats(LiveOptions options) {
  options.client.repeat_safe_calls = false;
  return options;
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

// What is heard of the connection on the executor's thread and waited for on others. Lives as long as the last handler that may
// be called.
struct LiveServer::Watch {
  std::mutex mutex;
  std::condition_variable_any changed;
  bool ready = false;
  std::uint64_t connection = 0;  // grows with each one
  std::uint64_t questions = 0;   // for roots, on this one
  std::uint64_t settled = 0;     // the last connection whose server took the folders over
  std::atomic<std::uint64_t> tool_changes = 0;
  bool asks = true;  // for roots, after its last handshake

  void state(mcp::ClientState now) {
    const std::lock_guard lock(mutex);
    ready = now == mcp::ClientState::ready;
    if (ready)
      ++connection;
    else
      questions = 0;
  }
  void asked() {
    const std::lock_guard lock(mutex);
    ++questions;
    asks = true;
    changed.notify_all();
  }
  std::uint64_t questions_now() {
    const std::lock_guard lock(mutex);
    return questions;
  }
  bool wait_for_question(std::uint64_t after, std::chrono::milliseconds patience, const std::stop_token& stop) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, stop, patience, [&] { return questions > after; });
  }
  // After a handshake.
  bool wait_for_first_question(std::chrono::milliseconds whole, const std::stop_token& stop) {
    std::unique_lock lock(mutex);
    const bool asked = changed.wait_for(lock, stop, patience(whole, asks), [&] { return questions > 0; });
    asks = asked || stop.stop_requested();
    return asked;
  }
  std::uint64_t connection_now() {
    const std::lock_guard lock(mutex);
    return connection;
  }
  void settle(std::uint64_t number) {
    const std::lock_guard lock(mutex);
    settled = number;
  }
  std::optional<std::uint64_t> settled_and_ready() {
    const std::lock_guard lock(mutex);
    if (!ready || settled != connection) return std::nullopt;
    return connection;
  }
};

// Calls go through one by one or together; a change of roots goes through alone.
class LiveServer::Gate {
 public:
  struct Pass {
    Gate* gate = nullptr;
    std::uint64_t number = 0;
    Pass(Gate& through, const std::stop_token& stop) : gate(&through), number(through.enter(stop)) {}
    ~Pass() { gate->leave(number); }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    explicit operator bool() const { return number != 0; }
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
  // 0: stopped before it opened.
  std::uint64_t enter(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, stop, [this] { return !shut_; })) return 0;
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
  std::condition_variable_any changed_;
  bool shut_ = false;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, std::stop_source> inside_;
};

LiveServer::LiveServer(Executor& executor, ServerDefinition server, Roots& roots, Connect connect, LiveOptions options)
    : executor_(executor),
      server_(std::move(server)),
      roots_(roots),
      connect_(std::move(connect)),
      options_(own_repeats(std::move(options))),
      watch_(std::make_shared<Watch>()),
      gate_(std::make_unique<Gate>()) {}

LiveServer::~LiveServer() {
  close();
}

LiveServer::ClientPtr LiveServer::client() {
  const std::lock_guard lock(client_mutex_);
  return client_;
}

Result<RootsApplied> LiveServer::apply_roots(const std::stop_token& stop) {
  const auto one_at_a_time = updates_.take(stop);
  if (!one_at_a_time) return fail(stopped(server_));
  // Whoever waited here finds the newest: what came in between is not told.
  const RootsView wanted = roots_.snapshot();
  if (applied_ && wanted->generation == applied_->generation)
    return RootsApplied{RootsMode::none, wanted->generation, {}, verified_};
  if (!gate_->shut(options_.drain, options_.cancel_busy))
    return fail(ErrorKind::conflict, fmt::format("{} is busy: calls are under way", server_.name),
                "wait for them, or cancel them, before the folders change", "busy");
  const auto begun = Time::now();
  Result<RootsApplied> applied;
  if (wanted->roots.empty()) {
    close();
    applied = RootsApplied{RootsMode::closed, wanted->generation, {}, true};
  } else if (auto changed = change_in_place(wanted, stop)) {
    applied = *changed;
  } else {
    applied = restart(wanted, stop);
  }
  applied_ = applied ? wanted : nullptr;
  verified_ = applied && applied->verified;
  gate_->open();
  if (applied) applied->elapsed = std::chrono::duration_cast<std::chrono::microseconds>(Time::now() - begun);
  return applied;
}

std::optional<RootsApplied> LiveServer::change_in_place(const RootsView& wanted, const std::stop_token& stop) {
  const ClientPtr client = this->client();
  const auto peer = client && applied_ ? client->peer() : std::nullopt;
  if (!peer || server_.roots_at || passed_over()) return std::nullopt;
  RootsApplied applied{RootsMode::per_request, wanted->generation, {}, true};
  if (peer->era() == mcp::Era::modern) return applied;  // each call asks for them
  const std::uint64_t questions = watch_->questions_now();
  if (questions == 0) {
    // Nothing would be different after a new start: there is no place for folders in how it is started.
    applied.mode = RootsMode::none;
    applied.verified = false;
    applied.untold = true;
    return applied;
  }
  const std::uint64_t connection = watch_->connection_now();
  const bool can_say = !probe_tool(client, stop).empty();
  if (options_.strict_roots && !can_say && takes_away(applied_, wanted)) return std::nullopt;
  if (!client->notify("notifications/roots/list_changed", {})) return std::nullopt;
  const bool asked = watch_->wait_for_question(questions, patience(options_.question, follows_), stop);
  follows_ = asked || stop.stop_requested() || !client->peer();
  if (!asked) {
    log(LogLevel::info, "runner", fmt::format("{} did not ask for the new folders: it is started anew", server_.name));
    return std::nullopt;
  }
  applied.mode = RootsMode::notified;
  applied.verified = can_say;
  if (!can_say) {
    std::this_thread::sleep_for(options_.settle);
  } else if (!confirm(client, wanted, stop)) {
    log(LogLevel::info, "runner", fmt::format("{} did not take over the new folders: it is started anew", server_.name));
    return std::nullopt;
  }
  watch_->settle(connection);
  return applied;
}

// A connection of its own for these folders.
Result<RootsApplied> LiveServer::restart(const RootsView& wanted, const std::stop_token& stop) {
  close();
  mcp::ClientHandlers handlers;
  handlers.roots = [this, watch = watch_](const JsonObject&, const std::function<void(mcp::InputAnswer)>& answer) {
    const std::vector<Root> there = roots_.available();
    if (there.empty())
      answer(std::unexpected(mcp::RpcError{mcp::code::kInternal, "none of the folders is there", {}}));
    else
      answer(roots_result(there));
    watch->asked();
  };
  // Not on_list_changed, which waits for the end of a burst: who made the call that brought a tool is to find it.
  handlers.on_notification = [watch = watch_](std::string_view method, const JsonObject&) {
    if (method == "notifications/tools/list_changed") ++watch->tool_changes;
  };
  handlers.on_heard = [silence = silence_] { silence->heard(); };
  handlers.on_state = [watch = watch_, silence = silence_, list_silence = list_silence_](mcp::ClientState state,
                                                                                         const std::string&) {
    watch->state(state);
    if (state != mcp::ClientState::ready) return;
    silence->heard();
    list_silence->heard();
  };
  const std::vector<std::string> folders = server_.roots_at ? paths_of(wanted) : std::vector<std::string>();
  auto client =
      std::make_shared<mcp::BlockingClient>(executor_, options_.client, std::move(handlers), connect_(server_, folders));
  // What was tried to start says more than its name.
  if (auto connected = client->connect(stop); !connected)
    return fail(std::move(connected).error().within(server_.url.empty() ? describe(server_) : server_.name));
  const std::uint64_t connection = watch_->connection_now();
  RootsApplied applied{RootsMode::reconnected, wanted->generation, {}, settle(client, wanted, stop), false};
  if (stop.stop_requested()) return fail(stopped(server_));
  watch_->settle(connection);
  applied.untold = is_untold(*client);
  const std::lock_guard lock(client_mutex_);
  slow_tools_.clear();
  client_ = std::move(client);
  return applied;
}

bool LiveServer::is_untold(mcp::BlockingClient& client) {
  const auto peer = client.peer();
  return peer && peer->era() != mcp::Era::modern && !server_.roots_at && watch_->questions_now() == 0;
}

bool LiveServer::settle(const ClientPtr& client, const RootsView& wanted, const std::stop_token& stop) {
  const auto peer = client->peer();
  if (!peer) return false;
  if (peer->era() == mcp::Era::modern) return true;
  if (!server_.roots_at && !watch_->wait_for_first_question(options_.first_question, stop)) {
    log(LogLevel::debug, "runner", fmt::format("{} does not ask for folders", server_.name));
    return false;
  }
  if (!probe_tool(client, stop).empty()) {
    const bool verified = confirm(client, wanted, stop);
    if (!verified) log(LogLevel::warn, "runner", fmt::format("{} names other folders than it was given", server_.name));
    return verified;
  }
  if (!server_.roots_at) std::this_thread::sleep_for(options_.settle);
  return false;
}

std::string LiveServer::probe_tool(const ClientPtr& client, const std::stop_token& stop) {
  if (!server_.probe_tool.empty()) return server_.probe_tool;
  const auto known = tools_of(client, stop);
  return known && (*known)->find(kUsualProbe) ? std::string(kUsualProbe) : std::string();
}

// Asks until the server names exactly these folders.
bool LiveServer::confirm(const ClientPtr& client, const RootsView& wanted, const std::stop_token& stop) {
  std::set<std::string> expected;
  for (const Root& root : roots_.available()) expected.insert(root.folder.path);
  if (roots_.snapshot()->generation != wanted->generation || expected.empty()) return false;
  const std::string probe = probe_tool(client, stop);
  const auto most = patience(options_.confirm, confirms_);
  const auto until = Time::now() + most;
  auto pause = kFirstPoll;
  for (int polls = 1; Time::now() < until; ++polls) {
    mcp::CallOptions options;
    options.timeout = most;
    const auto answer = client->call_tool(probe, {}, options, stop);
    if (!answer) break;
    if (paths_in(*answer) == expected) return confirms_ = true;
    if (polls < kEagerPolls) continue;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, kLongestPoll);
  }
  confirms_ = stop.stop_requested() || !client->peer();
  return false;
}

Result<std::uint64_t> LiveServer::usable_connection(bool look, std::chrono::milliseconds patience, const std::stop_token& stop) {
  if (!look)
    if (auto connection = watch_->settled_and_ready()) return *connection;
  const auto one_at_a_time = updates_.take(stop);
  if (!one_at_a_time) return fail(stopped(server_));
  const ClientPtr client = this->client();
  if (!client || !applied_)
    return fail(ErrorKind::unavailable, fmt::format("{} is not connected", server_.name), {}, "not_connected");
  // Waits for the client, which comes back by itself.
  if (auto connected = client->connect(stop, patience); !connected) {
    if (connected.error().kind == ErrorKind::timeout) fell_silent(client, "the handshake", stop);
    return fail(std::move(connected).error().within(server_.name));
  }
  if (auto connection = watch_->settled_and_ready()) return *connection;  // somebody else has seen to it
  const std::uint64_t connection = watch_->connection_now();
  verified_ = settle(client, applied_, stop);
  if (stop.stop_requested()) return fail(stopped(server_));  // it may not have been told all
  watch_->settle(connection);
  return connection;
}

mcp::CallResult<JsonObject> LiveServer::call_tool(std::string name, JsonObject arguments, mcp::CallOptions options,
                                                  std::stop_token stop) {
  if (auto blocked = blocked_argument(arguments, *roots_.snapshot(), roots_.rules()))
    return mcp::call_failed(*std::move(blocked));
  if (roots_.available().empty())
    return mcp::call_failed(make_error(ErrorKind::unavailable, fmt::format("{} has no folders to work in", server_.name),
                                       "set the roots to folders that exist", "no_roots"));
  if (auto silent = passed_over()) {
    if (const ClientPtr client = this->client()) ask_for_a_sign(client);
    return mcp::call_failed(*std::move(silent));
  }
  const auto whole = options.timeout.value_or(options_.client.call_timeout);
  if (is_slow(name)) options.timeout = std::min(whole, std::max(patience(whole, false), kLeastForSlow));
  for (bool again = false;; again = true) {
    // Before the gate: who holds it shut may be waiting for calls that have passed it.
    const auto connection = usable_connection(again, whole, stop);
    if (!connection) return mcp::call_failed(connection.error());
    const Gate::Pass pass(*gate_, stop);
    if (!pass) return mcp::call_failed(stopped(server_));
    const ClientPtr client = this->client();
    if (!client) return mcp::call_failed(make_error(ErrorKind::unavailable, fmt::format("{} is not connected", server_.name)));
    // Either the caller's wish or a change of folders that cannot wait ends the call.
    std::stop_source either;
    const std::stop_callback by_caller(stop, [&] { either.request_stop(); });
    const std::stop_callback by_change(pass.stop(), [&] { either.request_stop(); });
    auto result = client->call_tool(name, arguments, options, either.get_token());
    const bool unanswered = !result && !result.error().rpc && result.error().error.kind == ErrorKind::timeout;
    note_slow(name, unanswered);
    if (unanswered) fell_silent(client, "a call of " + name, either.get_token());
    // On another connection than the one that was looked at it ran under folders nobody has checked, if it ran at all.
    const bool was_lost = !result && result.error().error.code == kConnectionLost;
    if (again || either.stop_requested() || (!was_lost && watch_->connection_now() == *connection)) return result;
    const auto known = client->tools(stop);
    const mcp::RemoteTool* tool = known ? (*known)->find(name) : nullptr;
    if (!tool || !(tool->read_only || tool->idempotent)) return result;
  }
}

mcp::CallResult<std::shared_ptr<const mcp::ToolList>> LiveServer::tools(const std::stop_token& stop) {
  const ClientPtr client = this->client();
  if (!client) return mcp::call_failed(make_error(ErrorKind::unavailable, fmt::format("{} is not connected", server_.name)));
  return tools_of(client, stop);
}

LiveServer::Tools LiveServer::tools_of(const ClientPtr& client, const std::stop_token& stop) {
  const auto ask_again = [&] {
    Silence::ask_for_a_sign(list_silence_, [&](std::function<void(bool)> answered) {
      client->tools_later([watch = watch_, answered = std::move(answered)](const Tools& list) {
        const bool is_new = list && !(*list)->stale;
        answered(is_new || (!list && list.error().rpc));
        if (is_new) ++watch->tool_changes;
      });
    });
  };
  if (auto silent = passed_over()) {
    ask_for_a_sign(client);
    return mcp::call_failed(*std::move(silent));
  }
  if (auto silent = list_silence_->error(server_.name)) {
    ask_again();
    const std::lock_guard lock(client_mutex_);
    if (last_tools_) return last_tools_;
    return mcp::call_failed(*std::move(silent));
  }
  Tools list = client->tools(stop);
  if (list) {
    const std::lock_guard lock(client_mutex_);
    last_tools_ = *list;
  }
  const bool unanswered = list ? (*list)->stale : !list.error().rpc && list.error().error.kind == ErrorKind::timeout;
  if (!unanswered) return list;
  list_silence_->begins("tools/list");
  ask_again();
  return list;
}

void LiveServer::ask_for_a_sign(const ClientPtr& client) {
  Silence::ask_for_a_sign(silence_, [&](std::function<void(bool)> answered) {
    client->ping_later(
        [answered = std::move(answered)](const mcp::CallResult<JsonObject>& pong) { answered(pong || pong.error().rpc); });
  });
}

void LiveServer::fell_silent(const ClientPtr& client, std::string_view what, const std::stop_token& stop) {
  silence_->begins(what);
  ask_for_a_sign(client);
  if (!silence_->wait_until_heard(options_.sign, stop))
    log(LogLevel::warn, "runner", fmt::format("{} does not answer: it is passed over until it does", server_.name));
}

bool LiveServer::is_slow(const std::string& tool) {
  const std::lock_guard lock(client_mutex_);
  return slow_tools_.contains(tool);
}

void LiveServer::note_slow(const std::string& tool, bool slow) {
  const std::lock_guard lock(client_mutex_);
  if (slow)
    slow_tools_.insert(tool);
  else
    slow_tools_.erase(tool);
}

std::uint64_t LiveServer::tool_changes() const {
  return watch_->tool_changes;
}

std::string LiveServer::last_words() {
  const ClientPtr client = this->client();
  return client ? client->last_words() : std::string();
}

mcp::ClientCounts LiveServer::counts() {
  const ClientPtr client = this->client();
  return client ? client->counts() : mcp::ClientCounts{};
}

void LiveServer::close() {
  ClientPtr client;
  {
    const std::lock_guard lock(client_mutex_);
    client = std::exchange(client_, nullptr);
  }
  if (client) client->close();
}

}  // namespace holdfast::runner
