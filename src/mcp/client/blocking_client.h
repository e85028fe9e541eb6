#pragma once

// A client for threads that may wait: commands, pool threads. Each call posts to the executor that owns the client
// and waits for the answer; several threads may call at once. Never to be used on the executor's own thread.
//
// The executor runs until the destructor has returned.

#include "mcp/client/client.h"

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

namespace holdfast::mcp {

class BlockingClient {
 public:
  BlockingClient(Executor& executor, ClientOptions options, ClientHandlers handlers, TransportMaker make_transport);
  ~BlockingClient();  // close()

  // A stop ends the waiting (cancelled), here and of tools(), not what is being done: the next one who asks may find it done.
  // So does the end of patience (timeout).
  Result<void> connect(const std::stop_token& stop = {}, std::chrono::milliseconds patience = kNoLimit);
  void close();  // the server has ended when it returns

  // As those of Client. A stop that is requested cancels the call.
  CallResult<JsonObject> request(std::string method, JsonObject params, CallOptions options = {}, std::stop_token stop = {});
  CallResult<JsonObject> call_tool(std::string name, JsonObject arguments, CallOptions options = {}, std::stop_token stop = {});
  CallResult<JsonObject> read_resource(std::string uri);
  CallResult<JsonObject> get_prompt(std::string name, JsonObject arguments);
  CallResult<JsonObject> ping();
  CallResult<std::shared_ptr<const ToolList>> tools(const std::stop_token& stop = {});
  // Without waiting: told on the executor's thread, however late the server answers; not at all once the client is gone.
  void ping_later(Client::Done done);
  void tools_later(Client::ToolsDone done);
  CallResult<JsonArray> resources();
  CallResult<JsonArray> prompts();
  Result<void> notify(std::string method, JsonObject params);

  // Copies, of this moment.
  ClientState state();
  std::optional<Peer> peer();
  ClientCounts counts();
  std::string last_words();

 private:
  template <class Answer>
  Answer wait_for(std::move_only_function<void(Client&, std::move_only_function<void(Answer)>)> ask);
  template <class Answer>
  Answer wait_or_stop(std::move_only_function<void(Client&, std::move_only_function<void(Answer)>)> ask,
                      const std::stop_token& stop, std::chrono::milliseconds patience, const std::function<Answer(Error)>& ended);
  using Begin = std::move_only_function<Client::Ticket(Client&, Client::Done)>;
  CallResult<JsonObject> wait_for_call(Begin begin, const std::stop_token& stop);

  Executor& executor_;
  std::shared_ptr<Client> client_;  // made, used and destroyed on the executor's thread
};

}  // namespace holdfast::mcp
