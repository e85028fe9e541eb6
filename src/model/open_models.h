#pragma once

// The real models: configured endpoints asked over HTTP. What a program makes once and hands to threads, research and runner.
//
// Each ask goes through the endpoints in order. On one endpoint a fault that may pass (no connection, 5xx, 408, 429, a time-out,
// a stream that ends too early, JSON that is none) is followed by retries, each after a pause; Retry-After is honoured up to
// kLongestRetryAfter, a longer one means the next endpoint. A request that this endpoint will never take (401, 403, 404, other
// 4xx) goes to the next one at once. A prompt that does not fit (CONTEXT_TOO_LARGE) ends the ask: who asked must shorten it.
//
// Keys are read from the environment at every call and stand in a header of the request, nowhere else.

#include "model/endpoint.h"
#include "model/models.h"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::model {

// A caller who waits for an answer does not wait longer than that for a server that asks for patience.
inline constexpr std::chrono::seconds kLongestRetryAfter{60};

// Purpose -> names of endpoints in the order they are tried.
using Order = std::map<std::string, std::vector<std::string>, std::less<>>;

struct ModelOptions {
  std::function<std::optional<std::string>(const std::string&)> environment;  // absent: the process's
  Order order;  // a purpose without a row: all endpoints as they were configured
  // Before the first, second, … retry on one endpoint; each is shortened by up to half, so that many callers do not return at
  // once. Their number is the number of retries.
  std::vector<std::chrono::milliseconds> pauses{std::chrono::seconds(1), std::chrono::seconds(3), std::chrono::seconds(9)};
  std::function<void(std::chrono::milliseconds)> sleep;  // absent: really; tests count instead
};

// From the JSON of the setting `llm_order`: {"chat": ["a", "b"], …}. Errors: invalid, for a purpose that does not exist and a
// name that no endpoint has.
Result<Order> read_order(const Json& setting, const std::vector<Endpoint>& endpoints);

std::unique_ptr<Models> make_models(std::vector<Endpoint> endpoints, ModelOptions options = {});

}  // namespace holdfast::model
