#include "mcp/client/blocking_client.h"

#include <fmt/format.h>

#include <atomic>
#include <future>
#include <utility>

namespace holdfast::mcp {

namespace {

Error given_up() {
  return make_error(ErrorKind::cancelled, "nobody waits for the server any more");
}

Error took_too_long(std::chrono::milliseconds patience) {
  return make_error(ErrorKind::timeout, fmt::format("the server did not answer within {} ms", patience.count()));
}

}  // namespace

template <class Answer>
Answer BlockingClient::wait_for(std::move_only_function<void(Client&, std::move_only_function<void(Answer)>)> ask) {
  // Shared: the thread that sets the value may still hold it when this one has gone on.
  auto promise = std::make_shared<std::promise<Answer>>();
  auto answer = promise->get_future();
  executor_.post([client = client_, promise, ask = std::move(ask)]() mutable {
    ask(*client, [promise](Answer value) { promise->set_value(std::move(value)); });
  });
  return answer.get();
}

template <class Answer>
Answer BlockingClient::wait_or_stop(std::move_only_function<void(Client&, std::move_only_function<void(Answer)>)> ask,
                                    const std::stop_token& stop, std::chrono::milliseconds patience,
                                    const std::function<Answer(Error)>& ended) {
  // Of the answer, the stop and the end of patience, the first one counts.
  struct Wait {
    std::promise<Answer> promise;
    std::atomic_flag over;
    void end(Answer value) {
      if (!over.test_and_set()) promise.set_value(std::move(value));
    }
  };
  auto wait = std::make_shared<Wait>();
  auto answer = wait->promise.get_future();
  executor_.post([client = client_, wait, ask = std::move(ask)]() mutable {
    ask(*client, [wait](Answer value) { wait->end(std::move(value)); });
  });
  const std::stop_callback give_up(stop, [&] { wait->end(ended(given_up())); });
  if (answer.wait_for(patience) == std::future_status::timeout) wait->end(ended(took_too_long(patience)));
  return answer.get();
}

BlockingClient::BlockingClient(Executor& executor, ClientOptions options, ClientHandlers handlers, TransportMaker make_transport)
    : executor_(executor) {
  auto made = std::make_shared<std::promise<std::shared_ptr<Client>>>();
  auto client = made->get_future();
  executor_.post([&executor, made, options = std::move(options), handlers = std::move(handlers),
                  make_transport = std::move(make_transport)]() mutable {
    made->set_value(std::make_shared<Client>(std::move(options), std::move(handlers), executor, std::move(make_transport)));
  });
  client_ = client.get();
}

BlockingClient::~BlockingClient() {
  close();
  auto gone = std::make_shared<std::promise<void>>();
  auto wait = gone->get_future();
  executor_.post([client = std::move(client_), gone]() mutable {
    client.reset();
    gone->set_value();
  });
  wait.wait();
}

Result<void> BlockingClient::connect(const std::stop_token& stop, std::chrono::milliseconds patience) {
  return wait_or_stop<Result<void>>([](Client& client, auto done) { client.connect(std::move(done)); }, stop, patience,
                                    [](Error why) { return fail(std::move(why)); });
}

void BlockingClient::close() {
  wait_for<bool>([](Client& client, auto done) { client.close([done = std::move(done)]() mutable { done(true); }); });
}

CallResult<JsonObject> BlockingClient::wait_for_call(Begin begin, const std::stop_token& stop) {
  auto promise = std::make_shared<std::promise<CallResult<JsonObject>>>();
  auto ticket = std::make_shared<Client::Ticket>(0);
  auto answer = promise->get_future();
  executor_.post([client = client_, promise, ticket, begin = std::move(begin)]() mutable {
    *ticket = begin(*client, [promise](CallResult<JsonObject> result) { promise->set_value(std::move(result)); });
  });
  // Posted after the task above, so the ticket is known when this one runs.
  const std::stop_callback cancel(stop,
                                  [this, ticket] { executor_.post([client = client_, ticket] { client->cancel(*ticket); }); });
  return answer.get();
}

CallResult<JsonObject> BlockingClient::request(std::string method, JsonObject params, CallOptions options, std::stop_token stop) {
  return wait_for_call(
      [&](Client& client, Client::Done done) {
        return client.request(std::move(method), std::move(params), std::move(options), std::move(done));
      },
      stop);
}

CallResult<JsonObject> BlockingClient::call_tool(std::string name, JsonObject arguments, CallOptions options,
                                                 std::stop_token stop) {
  return wait_for_call(
      [&](Client& client, Client::Done done) {
        return client.call_tool(std::move(name), std::move(arguments), std::move(options), std::move(done));
      },
      stop);
}

CallResult<JsonObject> BlockingClient::read_resource(std::string uri) {
  return request("resources/read", {{"uri", std::move(uri)}});
}
CallResult<JsonObject> BlockingClient::get_prompt(std::string name, JsonObject arguments) {
  return request("prompts/get", {{"name", std::move(name)}, {"arguments", std::move(arguments)}});
}
CallResult<JsonObject> BlockingClient::ping() {
  return wait_for_call([](Client& client, Client::Done done) { return client.ping({}, std::move(done)); }, {});
}

CallResult<std::shared_ptr<const ToolList>> BlockingClient::tools(const std::stop_token& stop) {
  return wait_or_stop<CallResult<std::shared_ptr<const ToolList>>>(
      [](Client& client, auto done) { client.list_tools(std::move(done)); }, stop, kNoLimit,
      [](Error why) { return call_failed(std::move(why)); });
}
void BlockingClient::ping_later(Client::Done done) {
  executor_.post([client = client_, done = std::move(done)]() mutable {
    CallOptions options;
    options.timeout = options.limit = kNoLimit;
    client->ping(std::move(options), std::move(done));
  });
}
void BlockingClient::tools_later(Client::ToolsDone done) {
  executor_.post([client = client_, done = std::move(done)]() mutable { client->list_tools(std::move(done)); });
}
CallResult<JsonArray> BlockingClient::resources() {
  return wait_for<CallResult<JsonArray>>([](Client& client, auto done) { client.list_resources(std::move(done)); });
}
CallResult<JsonArray> BlockingClient::prompts() {
  return wait_for<CallResult<JsonArray>>([](Client& client, auto done) { client.list_prompts(std::move(done)); });
}
Result<void> BlockingClient::notify(std::string method, JsonObject params) {
  return wait_for<Result<void>>([&](Client& client, auto done) { done(client.notify(std::move(method), std::move(params))); });
}

ClientState BlockingClient::state() {
  return wait_for<ClientState>([](Client& client, auto done) { done(client.state()); });
}
std::optional<Peer> BlockingClient::peer() {
  return wait_for<std::optional<Peer>>(
      [](Client& client, auto done) { done(client.peer() ? std::optional<Peer>(*client.peer()) : std::nullopt); });
}
ClientCounts BlockingClient::counts() {
  return wait_for<ClientCounts>([](Client& client, auto done) { done(client.counts()); });
}
std::string BlockingClient::last_words() {
  return wait_for<std::string>([](Client& client, auto done) { done(client.last_words()); });
}

}  // namespace holdfast::mcp
