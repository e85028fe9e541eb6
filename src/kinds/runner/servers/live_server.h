#pragma once

// A server that stays while the folders change (persistent-client §5).
//
// Calls pass a gate. A change of roots closes it, waits for the calls under way, tells the server in the way it understands, and
// opens the gate only when the server is known to judge by the new folders: a call that ran over the border would give wrong
// answers without an error (§2). A server that crashed comes back by itself and has forgotten its folders: the next call waits
// until it has taken them over again, and a call that only reads and was lost on the way is made once more.
//
// One that does not answer is waited for once: what follows is passed over at once (kPassedOver), until it says something again.
// So it is with the list of its tools. Where only one thing is not answered, a tool, the question for folders, the naming of
// them, there is a tenth of the time for it from then on, until it is.
//
// Any thread but the executor's; each call waits for its answer.

#include "kinds/runner/servers/roots.h"
#include "kinds/runner/servers/server_definitions.h"
#include "kinds/runner/servers/silence.h"
#include "mcp/client/blocking_client.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>

namespace holdfast::runner {

// A lock whose taker can be told not to wait any longer: what is done under it may take as long as a server takes to come back.
class OneAtATime {
 public:
  // Held as long as what it gives; none when stop was requested first.
  using Hold = std::unique_ptr<OneAtATime, void (*)(OneAtATime*)>;
  Hold take(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    if (!free_.wait(lock, stop, [this] { return !taken_; })) return {nullptr, give_back};
    taken_ = true;
    return {this, give_back};
  }

 private:
  static void give_back(OneAtATime* held) {
    const std::lock_guard lock(held->mutex_);
    held->taken_ = false;
    held->free_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable_any free_;
  bool taken_ = false;
};

// How a change reached the server.
enum class RootsMode {
  none,         // nothing to do: the folders are the same, or the server cannot be told of any
  per_request,  // modern: it asks with each call
  notified,     // legacy: told, asked, answered
  reconnected,  // started, or started anew: it takes folders as arguments, or did not follow this time
  closed,       // no folders are left: an empty list would revoke nothing, so there is no server either
};
std::string_view name_of(RootsMode mode);

struct RootsApplied {
  RootsMode mode = RootsMode::none;
  std::uint64_t generation = 0;
  std::chrono::microseconds elapsed{0};
  bool verified = false;  // the server said itself that these are its folders
  bool untold = false;    // it was not told of them: it does not ask, and its definition names no place for them
};

struct LiveOptions {
  mcp::ClientOptions client;
  std::chrono::milliseconds drain{10'000};  // for calls under way, before a change
  bool cancel_busy = false;                 // then: cancel them; else the change is refused (busy)
  // A server that follows roots asks for them soon after the handshake; one took 350 ms.
  std::chrono::milliseconds first_question{1'000};
  std::chrono::milliseconds question{2'000};  // after it was told of a change
  std::chrono::milliseconds confirm{2'000};   // until it says that it has taken them over
  std::chrono::milliseconds settle{50};       // where it cannot be asked
  std::chrono::milliseconds sign{1'000};      // of life, after a request was not answered in time
  bool strict_roots = false;                  // where it cannot be asked, taking a folder away means starting anew
};

class LiveServer {
 public:
  // The transport for a definition; folders go into the arguments where the definition says so.
  using Connect = std::function<mcp::TransportMaker(const ServerDefinition& server, const std::vector<std::string>& folders)>;

  // Executor, roots and what connect needs outlive it.
  LiveServer(Executor& executor, ServerDefinition server, Roots& roots, Connect connect, LiveOptions options = {});
  ~LiveServer();

  // Brings the server to the present roots; the first time starts it. Several at once become one. Errors: busy (conflict), and
  // those of the client, with what the server said on stderr: then it is not connected, and the next time is a new start. A stop
  // ends the waiting for a server that starts, or for somebody who logs in (cancelled).
  Result<RootsApplied> apply_roots(const std::stop_token& stop = {});

  // Waits for a server that is coming back, then at the gate; a stop ends that at once (cancelled). Errors: unavailable with code
  // no_roots when none of the folders is there; refused with code blocked_path when an argument names a place that stays closed
  // (blocked_argument).
  mcp::CallResult<JsonObject> call_tool(std::string name, JsonObject arguments, mcp::CallOptions options = {},
                                        std::stop_token stop = {});
  mcp::CallResult<std::shared_ptr<const mcp::ToolList>> tools(const std::stop_token& stop = {});

  // Why nobody waits for it at present; nothing: it answers.
  std::optional<Error> passed_over() const { return silence_->error(server_.name); }
  bool wait_until_heard(std::chrono::milliseconds patience, const std::stop_token& stop) {
    return silence_->wait_until_heard(patience, stop);
  }

  // How often there was reason to ask for its tools again: it said that they are others, or can give its list again.
  std::uint64_t tool_changes() const;

  const ServerDefinition& definition() const { return server_; }
  std::string last_words();
  mcp::ClientCounts counts();
  void close();

 private:
  class Gate;
  struct Watch;
  using ClientPtr = std::shared_ptr<mcp::BlockingClient>;

  ClientPtr client();
  using Tools = mcp::CallResult<std::shared_ptr<const mcp::ToolList>>;
  Tools tools_of(const ClientPtr& client, const std::stop_token& stop);
  void ask_for_a_sign(const ClientPtr& client);
  // A request was not answered in time. Waits a little for a sign of life.
  void fell_silent(const ClientPtr& client, std::string_view what, const std::stop_token& stop);
  bool is_slow(const std::string& tool);
  void note_slow(const std::string& tool, bool slow);
  bool is_untold(mcp::BlockingClient& client);
  // The change without a new connection; nothing: it cannot be made, or was not.
  std::optional<RootsApplied> change_in_place(const RootsView& wanted, const std::stop_token& stop);
  Result<RootsApplied> restart(const RootsView& wanted, const std::stop_token& stop);
  // What is left to do on a connection that is new, until its server judges by these folders. Whether it said so.
  bool settle(const ClientPtr& client, const RootsView& wanted, const std::stop_token& stop);
  bool confirm(const ClientPtr& client, const RootsView& wanted, const std::stop_token& stop);
  std::string probe_tool(const ClientPtr& client, const std::stop_token& stop);
  // A connection whose server is known to judge by the roots; its number. look: ask, do not believe what was heard last.
  Result<std::uint64_t> usable_connection(bool look, std::chrono::milliseconds patience, const std::stop_token& stop);

  Executor& executor_;
  const ServerDefinition server_;
  Roots& roots_;
  const Connect connect_;
  const LiveOptions options_;
  std::shared_ptr<Watch> watch_;
  const std::shared_ptr<Silence> silence_ = std::make_shared<Silence>();       // of the server
  const std::shared_ptr<Silence> list_silence_ = std::make_shared<Silence>();  // of its list of tools
  std::unique_ptr<Gate> gate_;
  OneAtATime updates_;  // changes of folders or connection
  std::mutex client_mutex_;
  ClientPtr client_;
  // Guarded by client_mutex_, too.
  std::set<std::string> slow_tools_;                 // the last call of each was not answered in time
  std::shared_ptr<const mcp::ToolList> last_tools_;  // of this connection, or the one before
  RootsView applied_;                                // guarded by updates_, as is what follows; null: not connected
  bool verified_ = false;
  bool follows_ = true;   // it asked in time when it was last told of a change
  bool confirms_ = true;  // it named its folders in time when it was last asked
};

}  // namespace holdfast::runner
