#pragma once

// A loopback server that plays a model for tests of the real client: each request is answered by the next step of a script, the
// last step stays. Paths that have a route (lists of models) are answered by it and take no step.

#include "base/json/json.h"
#include "net/http/test_http_client.h"

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace holdfast::model {

class TestEndpoint {
 public:
  using Exchange = std::shared_ptr<net::HttpExchange>;
  using Step = std::function<void(const Exchange&)>;

  explicit TestEndpoint(std::vector<Step> script)
      : script_(std::move(script)), server_(net::HttpLimits{}, [this](const Exchange& exchange) { answer(exchange); }) {}

  std::string base_url() const { return "http://127.0.0.1:" + std::to_string(server_.port) + "/v1"; }
  std::vector<net::HttpRequest> seen() {
    const std::lock_guard lock(mutex_);
    return seen_;
  }
  std::vector<std::string> paths() {
    std::vector<std::string> paths;
    for (const net::HttpRequest& request : seen()) paths.push_back(request.path);
    return paths;
  }
  void route(std::string path, Step step) {
    const std::lock_guard lock(mutex_);
    routes_[std::move(path)] = std::move(step);
  }
  Json body(std::size_t request) { return parse_json(seen().at(request).body).value(); }
  void wait_for_requests(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return seen_.size() >= count; });
  }

  static Step status(int code, std::string body = "{}", net::HttpHeaders headers = {}) {
    return [=](const Exchange& exchange) {
      net::HttpResponse response;
      response.status = code;
      response.headers = headers;
      response.headers.emplace_back("Content-Type", "application/json");
      response.body = body;
      exchange->respond(std::move(response));
    };
  }
  // A whole answer of a server that does not stream.
  static Step plain(std::string content, std::string usage = R"({"prompt_tokens":7,"completion_tokens":3})") {
    return status(200, R"({"model":"plain-1","choices":[{"index":0,"message":{"role":"assistant","content":)" +
                           to_json(Json(content)) + R"(},"finish_reason":"stop"}],"usage":)" + usage + "}");
  }
  // A message of a server that does not stream, as it is given: tool_calls, reasoning_content and what else there may be.
  static Step message(std::string json, std::string finish_reason = "stop") {
    return status(200, R"({"model":"plain-1","choices":[{"index":0,"message":)" + json + R"(,"finish_reason":")" + finish_reason +
                           R"("}],"usage":{"prompt_tokens":7,"completion_tokens":3}})");
  }
  // Events as they are given; `end` false cuts the connection behind them.
  static Step events(std::vector<std::string> data, bool end = true) {
    return [=](const Exchange& exchange) {
      exchange->start_stream(200, {{"Content-Type", "text/event-stream"}});
      for (const std::string& event : data) exchange->write("data: " + event + "\n\n");
      if (end) exchange->end();
    };
  }
  static std::string delta(std::string_view content) {
    return R"({"model":"stream-1","choices":[{"index":0,"delta":{"content":)" + to_json(Json(content)) +
           R"(},"finish_reason":null}]})";
  }
  // A delta as it is given.
  static std::string piece(std::string_view json) {
    return R"({"model":"stream-1","choices":[{"index":0,"delta":)" + std::string(json) + R"(,"finish_reason":null}]})";
  }
  // A stream that makes one call, in pieces as most servers send it; "stop" is what LM Studio says at its end.
  static Step stream_call(const std::string& id, const std::string& name, const std::string& arguments,
                          std::string_view reason = "tool_calls") {
    const std::size_t half = arguments.size() / 2;
    return events(
        {piece(R"({"role":"assistant","content":null,"tool_calls":[{"index":0,"id":)" + to_json(Json(id)) +
               R"(,"type":"function","function":{"name":)" + to_json(Json(name)) + R"(,"arguments":""}}]})"),
         piece(R"({"tool_calls":[{"index":0,"function":{"arguments":)" + to_json(Json(arguments.substr(0, half))) + "}}]}"),
         piece(R"({"tool_calls":[{"index":0,"function":{"arguments":)" + to_json(Json(arguments.substr(half))) + "}}]}"),
         finish(reason), usage(11, 5), "[DONE]"});
  }
  static std::string finish(std::string_view reason = "stop") {
    return R"({"choices":[{"index":0,"delta":{},"finish_reason":")" + std::string(reason) + R"("}]})";
  }
  static std::string usage(int in, int out) {
    return R"({"choices":[],"usage":{"prompt_tokens":)" + std::to_string(in) + R"(,"completion_tokens":)" + std::to_string(out) +
           "}}";
  }
  static Step stream(std::vector<std::string> pieces) {
    std::vector<std::string> data;
    for (const std::string& piece : pieces) data.push_back(delta(piece));
    data.insert(data.end(), {finish(), usage(11, 5), "[DONE]"});
    return events(std::move(data));
  }
  // Never answers; the exchange lives until the server goes.
  Step silence() {
    return [this](const Exchange& exchange) { kept_.push_back(exchange); };
  }

 private:
  void answer(const Exchange& exchange) {
    Step step;
    {
      const std::lock_guard lock(mutex_);
      seen_.push_back(exchange->request());
      const auto route = routes_.find(exchange->request().path);
      step = route != routes_.end() ? route->second : script_[std::min(steps_++, script_.size() - 1)];
    }
    changed_.notify_all();
    step(exchange);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Step> script_;
  std::map<std::string, Step> routes_;  // guarded by mutex_, as are the two below
  std::size_t steps_ = 0;
  std::vector<net::HttpRequest> seen_;
  std::vector<Exchange> kept_;  // of the server's thread
  net::ServerOnThread server_;
};

}  // namespace holdfast::model
