#pragma once

// The MCP server: what it offers, and how each method of both eras is answered.
//
// A Server is not a connection. Transports (transport_stdio.h, transport_http.h) read messages, do
// the checks that belong to their framing, and hand requests in with the Outlet that takes the answer.
// Everything here runs on the executor's thread unless it says otherwise.

#include "base/crypto/sealed.h"
#include "base/run/clock.h"
#include "base/run/executor.h"
#include "base/run/pool.h"
#include "base/schema/schema.h"
#include "mcp/server/connection.h"
#include "mcp/server/features.h"
#include "mcp/server/mailbox.h"
#include "mcp/server/run.h"
#include "mcp/server/state_store.h"
#include "mcp/server/subscriptions.h"
#include "mcp/server/tasks.h"
#include "mcp/transport/outlet.h"
#include "mcp/wire/header_rules.h"
#include "mcp/wire/rpc.h"

#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace holdfast::mcp {

struct ServerOptions {
  std::string name = "holdfast";
  std::string title;
  std::string version = "0";
  std::string instructions;
  // How long lists may be cached by modern clients, and whether they are the same for everyone.
  std::int64_t list_ttl_ms = 60'000;
  bool lists_are_public = true;
  bool tasks = false;  // offer the tasks extension
  bool logging = true;
};

class Server {
 public:
  Server(ServerOptions options, Executor& executor, Pool& pool, const Clock& clock, StateStore& store);
  ~Server();

  // Before serving. open() reads the secret and may block.
  Result<void> open();
  Result<void> add_tool(Tool tool);  // invalid when the name, the schema or a header rule is
  void add_resource(FixedResource resource);
  void add_template(ResourceTemplate resource_template);
  void add_prompt(Prompt prompt);
  void complete_prompt(const std::string& prompt, Completer completer);

  // All that are listed, in the order of tools/list.
  std::vector<const Tool*> tools() const;
  // Before serving: runs on the pool thread before each handler that runs there, once for each run of it.
  void before_tools(std::function<void(std::string_view tool, Call& call)> run) { before_tools_ = std::move(run); }

  // Any thread: tells subscribed clients, here and at the other processes that share the store.
  void tools_changed();
  void prompts_changed();
  void resources_changed();
  // Without an audience everybody is told. here: every process learns of it by itself.
  enum class Reach { here, everywhere };
  void resource_updated(const std::string& uri, const std::optional<Audience>& audience = {}, Reach reach = Reach::everywhere);

  // Any thread: which legacy connections are there now, with a request in flight or a client that listens. Answered on the
  // I/O thread, or never when that has ended.
  void present_connections(std::function<void(std::set<std::string>)> tell);
  // Before serving: a client's list of roots has changed. Called on the I/O thread.
  void on_roots_changed(std::function<void(const Caller&)> told) { roots_changed_ = std::move(told); }

  // ---- for transports ----

  // Whether these params carry the modern envelope, however broken (mcp-protocol §4).
  static bool claims_modern(const JsonObject& params);
  // The caller a modern request describes in its envelope; -32602 naming what is missing.
  static std::expected<std::shared_ptr<Caller>, RpcError> read_envelope(const Message& request, Transport transport,
                                                                        const Identity& identity, std::string& claimed_version);
  // -32022 when we do not speak the claimed version in the modern era.
  static std::optional<RpcError> check_modern_version(const std::string& claimed_version);
  bool has_modern_method(std::string_view method) const;
  // What the caller of this request must be allowed to do. What is answered without looking at anything needs no more than read.
  Scope scope_needed(const Message& request) const;
  // Rules for Mcp-Param-* of a tool; nullptr when there is no such tool or it has none.
  const std::vector<HeaderRule>* header_rules_of(std::string_view tool) const;

  // connection: null on HTTP.
  struct Started {
    std::shared_ptr<Run> run;        // null when nothing is left running
    std::uint64_t subscription = 0;  // 0: none
  };
  Started handle_modern(Message request, std::shared_ptr<const Caller> caller, std::shared_ptr<Connection> connection,
                        std::shared_ptr<Outlet> outlet);

  // initialize: the caller and the result, or an error. Changes nothing.
  struct Handshake {
    std::shared_ptr<const Caller> caller;
    JsonObject result;
  };
  std::expected<Handshake, RpcError> handshake(const Message& request, Transport transport, const Identity& identity,
                                               const std::string& connection_key) const;
  std::shared_ptr<Run> handle_legacy(Message request, std::shared_ptr<Connection> connection, std::shared_ptr<Outlet> outlet);
  void take_notification(const Message& notification, Connection& connection);
  // False: nobody here has asked that.
  bool take_response(const Message& response, Connection& connection);
  // Whether there was such a request, and it is cancelled now.
  bool cancel_request(const Json& id, Connection& connection);
  void close_subscription(std::uint64_t handle) { subscriptions_.close(handle); }

  // Legacy connections that want to hear of changes. The server forgets them when they go.
  void attach(std::weak_ptr<Connection> connection);

  // Ends subscriptions in their own way, tasks, and the stand-alone streams of legacy sessions (the sessions stay);
  // running calls are left to finish.
  void shut_down();

  Executor& executor() { return executor_; }
  Pool& pool() { return pool_; }
  const Clock& clock() const { return clock_; }
  StateStore& store() { return store_; }
  const Sealer& sealer() const { return *sealer_; }
  Mailbox& mailbox() { return mailbox_; }
  Tasks& tasks() { return tasks_; }
  const JsonObject& info() const { return info_; }
  const ServerOptions& options() const { return options_; }
  bool on_io_thread() const { return std::this_thread::get_id() == io_thread_; }
  void bind_io_thread() { io_thread_ = std::this_thread::get_id(); }
  // Runs now when on the I/O thread, posted otherwise.
  void on_io(Task task);

  struct Counts {
    std::uint64_t requests = 0, errors = 0, running = 0;
    std::size_t subscriptions = 0;
  };
  Counts counts() const;
  Counts& tally() { return counts_; }
  const RequestTimes& request_times() const { return request_times_; }
  // A run has come to its end.
  void note_end(const Run& run, std::chrono::steady_clock::duration time, RequestTimes::Ending ending);

 private:
  struct RegisteredTool {
    Tool tool;
    Schema schema;
    std::optional<Schema> output;
    std::vector<HeaderRule> header_rules;
    JsonObject listed;  // its entry in tools/list
  };
  using Method = void (Server::*)(std::shared_ptr<Run>);

  void on_discover(std::shared_ptr<Run> run);
  void on_ping(std::shared_ptr<Run> run);
  void on_set_level(std::shared_ptr<Run> run);
  void on_list_tools(std::shared_ptr<Run> run);
  void on_call_tool(std::shared_ptr<Run> run);
  void on_list_resources(std::shared_ptr<Run> run);
  void on_list_templates(std::shared_ptr<Run> run);
  void on_read_resource(std::shared_ptr<Run> run);
  void on_subscribe(std::shared_ptr<Run> run);
  void on_unsubscribe(std::shared_ptr<Run> run);
  void on_list_prompts(std::shared_ptr<Run> run);
  void on_get_prompt(std::shared_ptr<Run> run);
  void on_complete(std::shared_ptr<Run> run);
  void on_task_get(std::shared_ptr<Run> run);
  void on_task_update(std::shared_ptr<Run> run);
  void on_task_cancel(std::shared_ptr<Run> run);

  JsonObject capabilities(Era era) const;
  JsonObject cache_fields() const;
  bool offers_resources() const { return !resources_.empty() || !templates_.empty(); }
  Subscriptions::Offer offer() const;
  // One page of a list held in memory; the cursor is an offset sealed for this list.
  // for_all: everybody who asks gets the same list.
  void answer_page(Run& run, std::string_view member, const std::vector<const JsonObject*>& items, bool for_all = true);
  std::expected<JsonObject, RpcError> read_cursor(const Run& run) const;  // empty: the first page
  std::string write_cursor(const Run& run, JsonObject place) const;
  void announce(std::string_view method, const JsonObject& params, const std::function<bool(const Connection&)>& wants);
  // Answers once what the connection remembers is kept.
  static void finish_when_saved(std::shared_ptr<Run> run, Connection::Change change);
  // Tells those who are connected here.
  void tell_of_list(std::string_view what);
  void tell_of_resource(const std::string& uri, const std::optional<Audience>& audience);
  void list_changed(std::string_view what);
  Method find_method(Era era, std::string_view method) const;

  ServerOptions options_;
  Executor& executor_;
  Pool& pool_;
  const Clock& clock_;
  StateStore& store_;
  std::unique_ptr<Sealer> sealer_;
  JsonObject info_;
  std::thread::id io_thread_;

  std::vector<std::shared_ptr<RegisteredTool>> tools_;
  std::unordered_map<std::string, std::shared_ptr<RegisteredTool>> tools_by_name_;
  std::vector<FixedResource> resources_;
  std::vector<ResourceTemplate> templates_;
  std::vector<Prompt> prompts_;
  std::map<std::string, Completer, std::less<>> completers_;  // by prompt

  Mailbox mailbox_;
  Subscriptions subscriptions_;
  Tasks tasks_;
  TaskNews task_news_;
  std::vector<std::weak_ptr<Connection>> connections_;
  std::function<void(const Caller&)> roots_changed_;
  std::function<void(std::string_view, Call&)> before_tools_;
  Counts counts_;
  RequestTimes request_times_;
};

}  // namespace holdfast::mcp
