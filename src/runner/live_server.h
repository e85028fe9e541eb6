#pragma once

// A server that stays while the folders change (persistent-client §5).
//
// Calls pass a gate. A change of roots closes it, waits for the calls under way, tells the server in the way it understands, and
// opens the gate only when the server is known to judge by the new folders: a call that ran over the border would give wrong
// answers without an error (§2). Which way that is, is found out once and remembered.
//
// Any thread but the executor's; each call waits for its answer.

#include "mcp/blocking_client.h"
#include "runner/roots.h"
#include "runner/server_definitions.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>

namespace holdfast::runner {

// How a change reached the server.
enum class RootsMode {
  none,         // nothing to do: the folders are the same
  per_request,  // modern: it asks with each call
  notified,     // legacy: told, asked, answered
  reconnected,  // started anew: it does not follow changes, or did not this time
  closed,       // no folders are left: an empty list would revoke nothing, so there is no server either
};
std::string_view name_of(RootsMode mode);

struct RootsApplied {
  RootsMode mode = RootsMode::none;
  std::uint64_t generation = 0;
  std::chrono::microseconds elapsed{0};
  bool verified = false;  // the server said itself that these are its folders
};

struct LiveOptions {
  mcp::ClientOptions client;
  std::chrono::milliseconds drain{10'000};  // for calls under way, before a change
  bool cancel_busy = false;                 // then: cancel them; else the change is refused (busy)
  // A server that follows roots asks for them soon after the handshake; one took 350 ms.
  std::chrono::milliseconds first_question{1'000};
  std::chrono::milliseconds question{2'000};  // after it was told of a change
  std::chrono::milliseconds fence{2'000};     // until it says that it has taken them over
  std::chrono::milliseconds settle{50};       // where it cannot be asked
  bool strict_roots = false;                  // where it cannot be asked, taking a folder away means starting anew
};

class LiveServer {
 public:
  // The transport for a definition; folders go into the arguments where the definition says so.
  using Connect = std::function<mcp::TransportMaker(const ServerDefinition& server, const std::vector<std::string>& folders)>;

  // Executor, roots and what connect needs outlive it.
  LiveServer(Executor& executor, ServerDefinition server, Roots& roots, Connect connect, LiveOptions options = {});
  ~LiveServer();

  // Connects, and brings the server to the present roots. Errors: those of the client, with what the server said on stderr.
  Result<RootsApplied> start();
  // Brings the server to the present roots. Several at once become one. Errors: busy (conflict), those of start; the server then
  // is as before where that was possible, and can be used again.
  Result<RootsApplied> apply_roots();

  // Waits at the gate. Errors: unavailable with code no_roots when none of the folders is there.
  mcp::CallResult<JsonObject> call_tool(std::string name, JsonObject arguments, mcp::CallOptions options = {},
                                        std::stop_token stop = {});
  mcp::CallResult<std::shared_ptr<const mcp::ToolList>> tools();

  const ServerDefinition& definition() const { return server_; }
  std::string last_words();
  mcp::ClientCounts counts();
  void close();

 private:
  class Gate;
  struct Asked;

  Result<void> open_client();
  Result<RootsApplied> change(const RootsView& wanted, bool narrows);
  Result<RootsApplied> restart(const RootsView& wanted);
  bool wait_for_question(std::uint64_t after, std::chrono::milliseconds patience);
  bool fence(const RootsView& wanted);
  std::string probe_tool();

  Executor& executor_;
  const ServerDefinition server_;
  Roots& roots_;
  const Connect connect_;
  const LiveOptions options_;
  std::shared_ptr<Asked> asked_;
  std::unique_ptr<Gate> gate_;
  std::mutex updates_;  // one change at a time
  std::mutex client_mutex_;
  std::shared_ptr<mcp::BlockingClient> client_;
  RootsView applied_;
  bool ignores_roots_ = false;
};

}  // namespace holdfast::runner
