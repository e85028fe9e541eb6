#pragma once

// A connection to another server that lasts: the same calls whatever the era and the transport.
//
//   auto client = std::make_unique<Client>(ClientOptions{}, std::move(handlers), loop, child_transport_maker(loop, server));
//   client->call_tool("read_file", {{"path", "a.txt"}}, {}, [](CallResult<JsonObject> result) { ... });
//
// The first use connects. Which era the server speaks is found out by asking (design 8.30) and remembered. When the
// connection is lost the client comes back by itself, with growing delays; calls made meanwhile wait. A call that was
// under way is lost: it is repeated only if the server called the tool read-only or idempotent, otherwise its caller
// learns that nobody knows whether it was executed.
//
// Executor thread only (other threads: blocking_client.h). What is given to a call runs there too, later, never inside
// that call, and exactly once, unless the client dies before. Handlers run while the client works, so they may ask it
// but not destroy it.

#include "base/run/executor.h"
#include "mcp/client/client_transport.h"
#include "mcp/client/remote_tool.h"
#include "mcp/server/caller.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::mcp {

struct ClientOptions {
  std::string name = "holdfast";
  std::string title;
  std::string version = "0";
  // Speak this one, and do not ask which the server knows. Modern: then nothing is known of its capabilities.
  std::optional<Version> only_version;
  // Keep a stream open on which the server tells of changes, where it offers one.
  bool listen = true;
  // Repeat calls of read-only and idempotent tools that a lost connection took away, once.
  bool repeat_safe_calls = true;
  std::chrono::milliseconds connect_timeout{30'000};
  // Until server/discover counts as not understood. Programs need more than a second to start.
  std::chrono::milliseconds probe_timeout{10'000};
  std::chrono::milliseconds list_timeout{30'000};  // of one page
  std::chrono::milliseconds call_timeout{60'000};  // of everything else; progress begins it anew
  std::chrono::milliseconds call_limit{600'000};   // progress or not, with all its rounds
  // Legacy: a ping after so much silence; without an answer the connection is lost. 0: never.
  std::chrono::milliseconds keep_alive{0};
};

inline constexpr std::chrono::milliseconds kNoLimit = std::chrono::hours(24 * 365);

struct Progress {
  double progress = 0;
  std::optional<double> total;
  std::string message;
};

struct CallOptions {
  std::optional<std::chrono::milliseconds> timeout, limit;  // instead of call_timeout, call_limit
  std::function<void(const Progress&)> on_progress;         // may be empty: then none is asked for
  std::optional<Severity> log_level;                        // modern: log messages for this call from here on
  JsonObject meta;                                          // further members of _meta
};

// The answer to a question of the server. Any thread may give it, once; a second one is ignored.
using InputAnswer = std::expected<JsonObject, RpcError>;
using InputHandler = std::function<void(const JsonObject& params, std::function<void(InputAnswer)> answer)>;

enum class ClientState { idle, starting, ready, reconnecting, failed, closed };
std::string_view name_of(ClientState state);

// What the client does for the server, and tells its owner. All may be empty. The same handlers serve requests of
// legacy servers and input_required results of modern ones; what is empty is not declared.
struct ClientHandlers {
  InputHandler roots;        // ListRootsResult
  InputHandler sampling;     // CreateMessageResult
  InputHandler elicitation;  // ElicitResult; members left out of an accepted form get their defaults
  bool elicits_urls = false;
  bool samples_with_tools = false;

  std::function<void(const JsonObject& params)> on_log;        // notifications/message
  std::function<void(std::string_view list)> on_list_changed;  // "tools", "resources", "prompts"; bursts are told once
  std::function<void(std::string_view method, const JsonObject& params)> on_notification;  // every one, also those above
  std::function<void(ClientState state, const std::string& reason)> on_state;
  std::function<void()> on_heard;  // each message of the server, whatever it is, before anything is made of it
};

// What is known of the server since the handshake.
struct Peer {
  Version version = kNewestModern;
  JsonObject capabilities;
  JsonObject info;  // name, version, ...
  std::string instructions;

  Era era() const { return era_of(version); }
};

struct ClientCounts {
  std::uint64_t requests = 0, answers = 0, notifications = 0, server_requests = 0;
  std::uint64_t late_answers = 0;   // to requests nobody waits for, or that never were
  std::uint64_t bad_messages = 0;   // JSON, but no message
  std::uint64_t garbage_lines = 0;  // of this connection
  std::uint64_t connections = 0, timeouts = 0, repeated = 0;
};

class Client {
 public:
  using Ticket = std::uint64_t;
  using Done = std::move_only_function<void(CallResult<JsonObject>)>;

  Client(ClientOptions options, ClientHandlers handlers, Executor& executor, TransportMaker make_transport);
  ~Client();  // without a goodbye: see close()
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Not needed before other calls; for those who want to know. Errors of the last attempt.
  void connect(std::move_only_function<void(Result<void>)> done);
  // Everything that waits fails (cancelled), then the transport ends in its own way. Nothing can be asked after it.
  void close(Task done);

  // Any request; in the modern era with all its rounds of questions. Errors: timeout, cancelled, unavailable
  // (code connection_lost when the answer was lost with its connection), too_large, those the server sent.
  Ticket request(std::string method, JsonObject params, CallOptions options, Done done);
  Ticket call_tool(std::string name, JsonObject arguments, CallOptions options, Done done);  // isError is a result
  Ticket read_resource(std::string uri, CallOptions options, Done done);
  Ticket get_prompt(std::string name, JsonObject arguments, CallOptions options, Done done);
  // ping, or where that does not exist server/discover.
  Ticket ping(CallOptions options, Done done);
  // The server is told and the caller gets its error at once; whether the server stops is its own affair.
  void cancel(Ticket ticket);
  // Dropped when there is no connection. Errors: those of the transport.
  Result<void> notify(std::string method, JsonObject params);

  // Whole lists, kept as long as the server lets us (ClientList). The last known one is given when the server
  // cannot be asked again.
  using ToolsDone = std::move_only_function<void(CallResult<std::shared_ptr<const ToolList>>)>;
  using ItemsDone = std::move_only_function<void(CallResult<JsonArray>)>;
  void list_tools(ToolsDone done);
  void list_resources(ItemsDone done);
  void list_prompts(ItemsDone done);

  ClientState state() const;
  const Peer* peer() const;  // nullptr unless ready
  ClientCounts counts() const;
  std::size_t in_flight() const;
  std::string last_words() const;  // stderr of this connection, or of the one before

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace holdfast::mcp
