#pragma once

// Questions that a server puts to us, and their way to the handlers and back: requests of its own in the legacy era,
// entries of an input_required result in the modern one. Answered while calls are under way. Executor thread only.

#include "base/run/lifeline.h"
#include "mcp/client/client.h"

#include <functional>
#include <string>
#include <unordered_map>

namespace holdfast::mcp {

class ClientInputs {
 public:
  using Answered = std::move_only_function<void(InputAnswer)>;

  ClientInputs(const ClientHandlers& handlers, Executor& executor) : handlers_(handlers), executor_(executor) {}

  // Asks the handler of this method. -32601 when there is none, -32602 for a kind of question that was not declared.
  // The answer comes later, once; never when this object has gone.
  void ask(std::string_view method, const JsonObject& params, Answered answered);

  // Legacy: answers a request of the server through send, in its own time.
  void serve(const Message& request, std::function<void(std::string response)> send);
  // The server does not want that answer any more.
  void withdraw(const Json& request_id) { serving_.erase(id_key(request_id)); }
  // Answers all that is open with an error: a server that still waits for us would not end.
  void refuse_all();
  void forget_all() { serving_.clear(); }  // their connection is gone

  std::size_t being_answered() const { return serving_.size(); }

 private:
  struct Serving {
    Json id;
    std::function<void(std::string)> send;
  };
  const InputHandler* handler_of(std::string_view method) const;

  const ClientHandlers& handlers_;
  Executor& executor_;
  std::unordered_map<std::string, Serving> serving_;  // by id_key
  Lifeline alive_;
};

// Members that an accepted form leaves out get the default that its schema names.
void fill_in_defaults(JsonObject& elicit_result, const JsonObject& elicit_params);

}  // namespace holdfast::mcp
