#include "mcp/client/client.h"

#include "base/run/lifeline.h"
#include "base/run/log.h"
#include "mcp/client/client_calls.h"
#include "mcp/client/client_inputs.h"
#include "mcp/client/client_limits.h"
#include "mcp/client/client_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

namespace holdfast::mcp {
namespace {

// Lists of a server: all their pages, and how long they are good. Executor thread only.
//
// Legacy lists are good until the server says they changed; modern ones as long as their ttlMs says, or until it says
// so. A new connection ends both. Who asks while a list is being fetched gets that one.

// One list: "tools/list" whose items are in "tools".
class ClientList {
 public:
  struct Items {
    JsonArray items;
    bool stale = false;  // the server could not be asked again
  };
  using Snapshot = std::shared_ptr<const Items>;
  using Done = std::move_only_function<void(CallResult<Snapshot>)>;

  ClientList(std::string method, std::string member, const ClientOptions& options, ClientLink& link, ClientCalls& calls,
             Executor& executor);

  void get(Done done);
  void invalidate() { ++generation_; }
  const Snapshot& known() const { return known_; }  // the last one, however old; may be null

 private:
  void fetch();
  void fetch_page(std::optional<std::string> cursor);
  void take_page(CallResult<JsonObject> page);
  void finish(CallResult<Snapshot> result);
  bool fresh() const;

  const std::string method_, member_;
  const ClientOptions& options_;
  ClientLink& link_;
  ClientCalls& calls_;
  Executor& executor_;

  Snapshot known_;
  std::uint64_t generation_ = 1, known_generation_ = 0;
  std::chrono::steady_clock::time_point good_until_{};
  std::vector<Done> waiting_;

  // Of the fetch under way.
  JsonArray items_;
  std::set<std::string> cursors_;
  std::size_t pages_ = 0;
  std::uint64_t fetched_generation_ = 0;
  std::chrono::steady_clock::time_point fetched_until_{};
  Lifeline alive_;
};

class ClientLists {
 public:
  ClientLists(const ClientOptions& options, ClientLink& link, ClientCalls& calls, Executor& executor);

  void tools(bool fresh, Client::ToolsDone done);
  // What is known of a tool; where headers depend on it (modern HTTP) the server is asked first.
  void look_up(const std::string& name, bool fresh, std::move_only_function<void(const RemoteTool*)> found);
  void items(ClientList& list, Client::ItemsDone done);

  ClientList& resources() { return resources_; }
  ClientList& prompts() { return prompts_; }

  // "tools", "resources", "prompts". False when there is no such list.
  bool changed(std::string_view list);
  void forget_all();  // a new connection

 private:
  ClientLink& link_;
  ClientList tools_, resources_, prompts_;
  std::shared_ptr<const ToolList> tool_list_;  // made of made_of_
  ClientList::Snapshot made_of_;
  Lifeline alive_;
};

// What the server is asked to tell us: that its lists changed. In the modern era that is one subscriptions/listen that stays
// open, begun again on every connection; a legacy server tells of its lists without being asked. Executor thread only.
class ClientListening {
 public:
  // lists: whether changes of lists are wanted.
  ClientListening(bool lists, Executor& executor, ClientLink& link, ClientCalls& calls)
      : lists_(lists), executor_(executor), link_(link), calls_(calls) {}
  ~ClientListening() { executor_.cancel(timer_); }

  void begin();  // a connection is there
  void end();

 private:
  void listen();
  JsonObject filter() const;

  const bool lists_;
  Executor& executor_;
  ClientLink& link_;
  ClientCalls& calls_;
  Client::Ticket ticket_ = 0;
  TimerId timer_ = 0;
  std::chrono::milliseconds delay_{0};
  Lifeline alive_;
};

using SteadyClock = std::chrono::steady_clock;

ClientList::ClientList(std::string method, std::string member, const ClientOptions& options, ClientLink& link, ClientCalls& calls,
                       Executor& executor)
    : method_(std::move(method)),
      member_(std::move(member)),
      options_(options),
      link_(link),
      calls_(calls),
      executor_(executor) {}

bool ClientList::fresh() const {
  return known_ && known_generation_ == generation_ && SteadyClock::now() < good_until_ && link_.peer();
}

void ClientList::get(Done done) {
  if (fresh()) {
    executor_.post([done = std::move(done), known = known_]() mutable { done(std::move(known)); });
    return;
  }
  waiting_.push_back(std::move(done));
  if (waiting_.size() == 1) fetch();
}

void ClientList::fetch() {
  items_ = {};
  cursors_.clear();
  pages_ = 0;
  fetched_generation_ = generation_;
  fetched_until_ = SteadyClock::time_point::max();
  fetch_page(std::nullopt);
}

void ClientList::fetch_page(std::optional<std::string> cursor) {
  CallRequest request;
  request.method = method_;
  if (cursor) request.params["cursor"] = *cursor;
  request.options.timeout = options_.list_timeout;
  request.repeatable = true;
  calls_.start(std::move(request), alive_.guard([this](CallResult<JsonObject> page) { take_page(std::move(page)); }));
}

void ClientList::take_page(CallResult<JsonObject> page) {
  if (!page) {
    // A cursor of the connection that was lost meanwhile means nothing on the next one.
    if (page.error().rpc && pages_ > 0 && fetched_generation_ != generation_) return fetch();
    if (!known_ || page.error().rpc) return finish(std::unexpected(std::move(page).error()));
    log(LogLevel::warn, "mcp", fmt::format("{}: the last known list is used: {}", method_, page.error().error.message));
    return finish(std::make_shared<const Items>(Items{known_->items, true}));
  }
  if (const JsonArray* items = find_array(*page, member_)) items_.insert(items_.end(), items->begin(), items->end());
  if (link_.peer() && link_.peer()->era() == Era::modern) {
    const auto life =
        std::chrono::milliseconds(std::clamp<std::int64_t>(find_int(*page, "ttlMs").value_or(0), 0, kNoLimit.count()));
    fetched_until_ = std::min(fetched_until_, SteadyClock::now() + life);
  }
  if (const auto next = find_string(*page, "nextCursor")) {
    const bool again = !cursors_.emplace(*next).second;
    if (!again && ++pages_ < kMaxPages) return fetch_page(std::string(*next));
    log(LogLevel::warn, "mcp", fmt::format("{}: the list does not end; {} items are used", method_, items_.size()));
  }
  known_ = std::make_shared<const Items>(Items{std::exchange(items_, {}), false});
  known_generation_ = fetched_generation_;
  good_until_ = fetched_until_;
  finish(known_);
}

void ClientList::finish(CallResult<Snapshot> result) {
  for (Done& done : std::exchange(waiting_, {})) done(result);
}

ClientLists::ClientLists(const ClientOptions& options, ClientLink& link, ClientCalls& calls, Executor& executor)
    : link_(link),
      tools_("tools/list", "tools", options, link, calls, executor),
      resources_("resources/list", "resources", options, link, calls, executor),
      prompts_("prompts/list", "prompts", options, link, calls, executor) {}

void ClientLists::tools(bool fresh, Client::ToolsDone done) {
  if (fresh) tools_.invalidate();
  tools_.get(alive_.guard([this, done = std::move(done)](CallResult<ClientList::Snapshot> items) mutable {
    if (!items) return done(std::unexpected(std::move(items).error()));
    if (made_of_ != *items) {
      auto list = read_tools((*items)->items, link_.over_http() && link_.peer() && link_.peer()->era() == Era::modern);
      list->stale = (*items)->stale;
      tool_list_ = std::move(list);
      made_of_ = *items;
    }
    done(tool_list_);
  }));
}

void ClientLists::look_up(const std::string& name, bool fresh, std::move_only_function<void(const RemoteTool*)> found) {
  const RemoteTool* known = tool_list_ ? tool_list_->find(name) : nullptr;
  const bool headers_matter = link_.over_http() && link_.peer() && link_.peer()->era() == Era::modern;
  if (!fresh && (known || !headers_matter)) return found(known);
  tools(fresh, [name, found = std::move(found)](CallResult<std::shared_ptr<const ToolList>> list) mutable {
    found(list ? (*list)->find(name) : nullptr);
  });
}

void ClientLists::items(ClientList& list, Client::ItemsDone done) {
  list.get([done = std::move(done)](CallResult<ClientList::Snapshot> items) mutable {
    if (!items) return done(std::unexpected(std::move(items).error()));
    done((*items)->items);
  });
}

bool ClientLists::changed(std::string_view list) {
  if (list == "tools") return tools_.invalidate(), true;
  if (list == "prompts") return prompts_.invalidate(), true;
  if (list != "resources") return false;
  resources_.invalidate();
  return true;
}

void ClientLists::forget_all() {
  for (ClientList* list : {&tools_, &resources_, &prompts_}) list->invalidate();
}

JsonObject ClientListening::filter() const {
  JsonObject filter;
  const JsonObject& capabilities = link_.peer()->capabilities;
  for (const auto& [capability, member] : {std::pair("tools", "toolsListChanged"), std::pair("prompts", "promptsListChanged"),
                                           std::pair("resources", "resourcesListChanged")}) {
    const JsonObject* declared = find_object(capabilities, capability);
    if (lists_ && declared && find_bool(*declared, "listChanged").value_or(false)) filter[member] = true;
  }
  return filter;
}

void ClientListening::begin() {
  end();
  delay_ = kFirstDelay;
  if (link_.peer()->era() == Era::modern) listen();
}

void ClientListening::end() {
  alive_.cut();
  executor_.cancel(std::exchange(timer_, 0));
  calls_.cancel(std::exchange(ticket_, 0));
}

void ClientListening::listen() {
  if (!link_.peer() || link_.peer()->era() != Era::modern) return;
  JsonObject wanted = filter();
  if (wanted.empty()) return;
  CallRequest request;
  request.method = "subscriptions/listen";
  request.params["notifications"] = std::move(wanted);
  request.options.timeout = request.options.limit = kNoLimit;
  ticket_ = calls_.start(std::move(request), alive_.guard([this](CallResult<JsonObject> ended) {
    ticket_ = 0;
    if (!ended && ended.error().rpc) return;  // it does not want to; lists are then good for their ttl
    timer_ = executor_.after(delay_, alive_.guard([this] {
      timer_ = 0;
      listen();
    }));
    delay_ = std::min(delay_ * 2, kLongestDelay);
  }));
}

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
Client::Ticket Client::ping(CallOptions options, Done done) {
  return parts_->calls_.start({"ping", {}, std::move(options), {}, true, "server/discover"}, std::move(done));
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
