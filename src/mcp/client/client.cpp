#include "mcp/client/client.h"

#include "base/run/log.h"
#include "mcp/client/client_calls.h"
#include "mcp/client/client_inputs.h"
#include "mcp/client/client_limits.h"
#include "mcp/client/client_link.h"
#include "mcp/client/client_listening.h"
#include "mcp/client/client_lists.h"

#include <array>
#include <set>
#include <utility>

namespace holdfast::mcp {
namespace {

constexpr std::string_view kListChanged = "/list_changed";

// Requests that change nothing.
bool only_reads(std::string_view method) {
  constexpr std::array kReading = {
      "ping",           "server/discover", "tools/list",  "resources/list",     "resources/templates/list",
      "resources/read", "prompts/list",    "prompts/get", "completion/complete"};
  return std::ranges::find(kReading, method) != kReading.end();
}

}  // namespace

std::string_view name_of(ClientState state) {
  constexpr std::array<std::string_view, 6> kNames = {"idle", "starting", "ready", "reconnecting", "failed", "closed"};
  return kNames[static_cast<std::size_t>(state)];
}

// What a client is made of, in the order in which the parts depend on each other.
class Client::Parts final : private ClientLink::Owner {
 public:
  Parts(ClientOptions options, ClientHandlers handlers, Executor& executor, TransportMaker make_transport)
      : options_(std::move(options)),
        handlers_(std::move(handlers)),
        executor_(executor),
        identity_(identity_of(options_, handlers_)),
        link_(options_, identity_, executor, std::move(make_transport), *this),
        inputs_(handlers_, executor),
        calls_(options_, identity_, executor, link_, inputs_, counts_,
               [this](const std::string& name, bool fresh, auto found) { lists_.look_up(name, fresh, std::move(found)); }),
        lists_(options_, link_, calls_, executor),
        listening_(options_.listen, executor, link_, calls_) {}
  ~Parts() {
    executor_.cancel(change_timer_);
    executor_.cancel(idle_timer_);
  }

  void connect(std::move_only_function<void(Result<void>)> done) {
    if (link_.state() == ClientState::ready) return executor_.post([done = std::move(done)]() mutable { done({}); });
    if (link_.state() == ClientState::closed)
      return executor_.post([done = std::move(done)]() mutable {
        done(fail(ErrorKind::cancelled, "the connection to the server has been closed"));
      });
    connecting_.push_back(std::move(done));
    link_.want();
  }

  void close(Task done) {
    const Error why = make_error(ErrorKind::cancelled, "the connection to the server is being closed");
    listening_.end();
    calls_.fail_all(why);
    inputs_.refuse_all();
    answer_connecting(fail(why));
    link_.close(std::move(done));
  }

  Result<void> notify(std::string method, JsonObject params) {
    const Peer* peer = link_.peer();
    if (!peer) return {};
    std::vector<std::pair<std::string, std::string>> headers;
    if (peer->era() == Era::modern && link_.over_http()) headers = modern_headers(peer->version, method, params, {});
    std::string text = write_notification(method, params);
    return link_.send({std::move(text), std::move(method), 0, std::move(headers)});
  }

  ClientOptions options_;
  ClientHandlers handlers_;
  Executor& executor_;
  ClientIdentity identity_;
  ClientCounts counts_;
  ClientLink link_;
  ClientInputs inputs_;
  ClientCalls calls_;
  ClientLists lists_;
  ClientListening listening_;

 private:
  void link_ready() override {
    ++counts_.connections;
    listening_.begin();
    answer_connecting({});
    calls_.ready();
    watch_silence();
  }
  void link_lost(const Error& why) override {
    log(LogLevel::info, "mcp", "a server was lost: " + why.message);
    inputs_.forget_all();
    listening_.end();
    lists_.forget_all();
    calls_.lost(why);
  }
  void link_unreachable(const Error& why) override {
    answer_connecting(fail(why));
    calls_.fail_waiting(why);
  }
  void link_state(ClientState state, const std::string& reason) override {
    if (handlers_.on_state) executor_.post(alive_.guard([this, state, reason] { handlers_.on_state(state, reason); }));
  }
  void link_bad_message() override { ++counts_.bad_messages; }
  void link_undelivered(RequestId id, const Undelivered& why) override { calls_.take_undelivered(id, why); }

  void link_message(Message message) override {
    heard_ = true;
    if (handlers_.on_heard) handlers_.on_heard();
    switch (message.kind) {
      case Message::Kind::response:
        link_.prove();
        if (!calls_.take_response(message)) ++counts_.late_answers;
        break;
      case Message::Kind::request:
        take_request(message);
        break;
      case Message::Kind::notification:
        take_notification(message);
        break;
    }
  }

  void take_request(const Message& request) {
    ++counts_.server_requests;
    // A modern server must not ask this way, and must not be answered (mcp-protocol §1).
    if (link_.peer() && link_.peer()->era() == Era::modern) {
      ++counts_.bad_messages;
      return;
    }
    inputs_.serve(request, [this, connection = link_.connection()](std::string response) {
      if (connection != link_.connection()) return;
      if (auto sent = link_.send({std::move(response), {}, 0, {}}); !sent)
        log(LogLevel::warn, "mcp", "a server's request cannot be answered: " + sent.error().message);
    });
  }

  void take_notification(const Message& notification) {
    ++counts_.notifications;
    const std::string& method = notification.method;
    if (method == "notifications/progress") {
      calls_.take_progress(notification.params);
    } else if (method == "notifications/cancelled") {
      if (const Json* id = find(notification.params, "requestId")) inputs_.withdraw(*id);
    } else if (method == "notifications/message") {
      if (handlers_.on_log) handlers_.on_log(notification.params);
    } else if (method == "notifications/resources/updated") {
      const auto uri = find_string(notification.params, "uri");
      if (uri && handlers_.on_resource_updated) handlers_.on_resource_updated(*uri);
    } else if (method.ends_with(kListChanged)) {
      list_changed(std::string_view(method).substr(0, method.size() - kListChanged.size()));
    }
    if (handlers_.on_notification) handlers_.on_notification(method, notification.params);
  }

  // The list is no longer good from this moment; that it changed is told when the burst is over.
  void list_changed(std::string_view what) {
    constexpr std::string_view kPrefix = "notifications/";
    if (what.starts_with(kPrefix)) what.remove_prefix(kPrefix.size());
    if (!lists_.changed(what)) return;
    changed_.emplace(what);
    if (change_timer_ != 0) return;  // not put off: a server that never stops would never be told of
    change_timer_ = executor_.after(kChangePause, [this] {
      change_timer_ = 0;
      for (const std::string& list : std::exchange(changed_, {}))
        if (handlers_.on_list_changed) handlers_.on_list_changed(list);
    });
  }

  void watch_silence() {
    executor_.cancel(idle_timer_);
    if (options_.keep_alive.count() <= 0 || !link_.peer() || link_.peer()->era() != Era::legacy) return;
    heard_ = false;
    idle_timer_ = executor_.after(options_.keep_alive, [this] {
      if (heard_ || calls_.in_flight() > 0) return watch_silence();
      CallRequest ping;
      ping.method = "ping";
      ping.options.timeout = options_.keep_alive;
      calls_.start(std::move(ping), alive_.guard([this](CallResult<JsonObject> answer) {
        const bool silent = !answer && answer.error().error.kind == ErrorKind::timeout;
        silent ? link_.drop(make_error(ErrorKind::timeout, "the server does not answer ping")) : watch_silence();
      }));
    });
  }

  void answer_connecting(const Result<void>& result) {
    for (auto& done : std::exchange(connecting_, {}))
      executor_.post([done = std::move(done), result]() mutable { done(result); });
  }

  std::vector<std::move_only_function<void(Result<void>)>> connecting_;
  std::set<std::string> changed_;
  TimerId change_timer_ = 0, idle_timer_ = 0;
  bool heard_ = false;
  Lifeline alive_;
};

Client::Client(ClientOptions options, ClientHandlers handlers, Executor& executor, TransportMaker make_transport)
    : parts_(std::make_unique<Parts>(std::move(options), std::move(handlers), executor, std::move(make_transport))) {}
Client::~Client() = default;

void Client::connect(std::move_only_function<void(Result<void>)> done) {
  parts_->connect(std::move(done));
}
void Client::close(Task done) {
  parts_->close(std::move(done));
}
void Client::reconnect(std::string reason) {
  parts_->link_.drop(make_error(ErrorKind::unavailable, std::move(reason)));
}

Client::Ticket Client::request(std::string method, JsonObject params, CallOptions options, Done done) {
  CallRequest request{std::move(method), std::move(params), std::move(options), {}, false, {}};
  request.repeatable = only_reads(request.method);
  return parts_->calls_.start(std::move(request), std::move(done));
}

Client::Ticket Client::call_tool(std::string name, JsonObject arguments, CallOptions options, Done done) {
  CallRequest request{"tools/call", {{"name", name}, {"arguments", std::move(arguments)}}, std::move(options), name, false, {}};
  auto invalidate_unknown = [parts = parts_.get(), done = std::move(done)](CallResult<JsonObject> result) mutable {
    const bool unknown = !result && result.error().rpc && result.error().rpc->code == code::kInvalidParams;
    if (unknown) parts->lists_.changed("tools");  // it may have gone since the list was read
    done(std::move(result));
  };
  return parts_->calls_.start(std::move(request), std::move(invalidate_unknown));
}

Client::Ticket Client::read_resource(std::string uri, CallOptions options, Done done) {
  return request("resources/read", {{"uri", std::move(uri)}}, std::move(options), std::move(done));
}
Client::Ticket Client::get_prompt(std::string name, JsonObject arguments, CallOptions options, Done done) {
  return request("prompts/get", {{"name", std::move(name)}, {"arguments", std::move(arguments)}}, std::move(options),
                 std::move(done));
}
Client::Ticket Client::complete(JsonObject params, Done done) {
  return request("completion/complete", std::move(params), {}, std::move(done));
}
Client::Ticket Client::ping(CallOptions options, Done done) {
  return parts_->calls_.start({"ping", {}, std::move(options), {}, true, "server/discover"}, std::move(done));
}
void Client::watch_resource(const std::string& uri) {
  parts_->listening_.watch(uri);
}
void Client::unwatch_resource(const std::string& uri) {
  parts_->listening_.unwatch(uri);
}
void Client::cancel(Ticket ticket) {
  parts_->calls_.cancel(ticket);
}
Result<void> Client::notify(std::string method, JsonObject params) {
  return parts_->notify(std::move(method), std::move(params));
}

void Client::list_tools(ToolsDone done) {
  parts_->lists_.tools(false, std::move(done));
}
void Client::list_resources(ItemsDone done) {
  parts_->lists_.items(parts_->lists_.resources(), std::move(done));
}
void Client::list_resource_templates(ItemsDone done) {
  parts_->lists_.items(parts_->lists_.templates(), std::move(done));
}
void Client::list_prompts(ItemsDone done) {
  parts_->lists_.items(parts_->lists_.prompts(), std::move(done));
}

ClientState Client::state() const {
  return parts_->link_.state();
}
const Peer* Client::peer() const {
  return parts_->link_.peer();
}
ClientCounts Client::counts() const {
  ClientCounts counts = parts_->counts_;
  counts.garbage_lines = parts_->link_.garbage();
  return counts;
}
std::size_t Client::in_flight() const {
  return parts_->calls_.in_flight();
}
std::string Client::last_words() const {
  return parts_->link_.last_words();
}

}  // namespace holdfast::mcp
