#pragma once

// Requests under way: ids, time-outs, progress, cancellation, rounds of questions, and what becomes of them when the
// connection goes. Any number at once, answered in any order. Executor thread only.

#include "base/run/lifeline.h"
#include "mcp/client/client.h"
#include "mcp/client/client_inputs.h"
#include "mcp/client/client_link.h"

#include <functional>
#include <map>
#include <string>
#include <unordered_map>

namespace holdfast::mcp {

struct CallRequest {
  std::string method;
  JsonObject params;
  CallOptions options;
  std::string tool;                // of tools/call: looked up before it is sent
  bool repeatable = false;         // executing it twice does no harm
  std::string modern_method = {};  // where the modern era has another name for it
};

class ClientCalls {
 public:
  using Ticket = Client::Ticket;
  // Tells what is known of a tool, at once or later; nullptr: nothing. fresh: ask the server again.
  using LookUp = std::function<void(const std::string& name, bool fresh, std::move_only_function<void(const RemoteTool*)> found)>;

  ClientCalls(const ClientOptions& options, const ClientIdentity& identity, Executor& executor, ClientLink& link,
              ClientInputs& inputs, ClientCounts& counts, LookUp look_up);
  ~ClientCalls();

  Ticket start(CallRequest request, Client::Done done);
  void cancel(Ticket ticket);

  // Told by the owner.
  void ready();
  void lost(const Error& why);
  void fail_waiting(const Error& why);
  void fail_all(const Error& why);
  bool take_response(Message& response);  // false: nobody waits for it
  void take_progress(const JsonObject& params);
  bool take_undelivered(RequestId id, const Undelivered& why);

  std::size_t in_flight() const { return on_wire_.size(); }

 private:
  struct Operation {
    CallRequest request;
    Client::Done done;
    JsonObject answers;                // to the questions of the last round
    std::optional<std::string> state;  // requestState of the last round
    std::vector<HeaderRule> headers;
    RequestId wire_id = 0;  // 0: not on the wire
    int round = 0;
    std::size_t open_questions = 0;
    bool sent = false;  // at least once
    bool looked_up = false, refreshed = false, repeated = false;
    TimerId timer = 0, limit_timer = 0, pause_timer = 0;
  };
  using Operations = std::map<Ticket, Operation>;  // in the order they were asked for

  Operation* find(Ticket ticket);
  Operation* on_wire(RequestId id, Ticket& ticket);
  void advance(Ticket ticket);  // towards the wire, as far as it can go now
  void look_up_tool(Ticket ticket, bool fresh);
  void send_leg(Ticket ticket, Operation& operation);
  void take_off_wire(Operation& operation);
  void arm(Ticket ticket, Operation& operation);
  void expired(Ticket ticket, std::chrono::milliseconds after);
  void give_up(Ticket ticket, Error why);
  void finish(Ticket ticket, CallResult<JsonObject> result);
  bool repeat_after_loss(Ticket ticket, Operation& operation);
  void take_error(Ticket ticket, Operation& operation, RpcError error);
  void take_result(Ticket ticket, Operation& operation, JsonObject result);
  void ask_inputs(Ticket ticket, Operation& operation, const JsonObject& result);
  void input_answered(Ticket ticket, int round, const std::string& key, const std::string& method, InputAnswer answer);

  const ClientOptions& options_;
  const ClientIdentity& identity_;
  Executor& executor_;
  ClientLink& link_;
  ClientInputs& inputs_;
  ClientCounts& counts_;
  LookUp look_up_;
  Operations operations_;
  std::unordered_map<RequestId, Ticket> on_wire_;
  Ticket last_ticket_ = 0;
  Lifeline alive_;
};

}  // namespace holdfast::mcp
