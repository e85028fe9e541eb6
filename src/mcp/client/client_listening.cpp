#include "mcp/client/client_listening.h"

#include "base/run/log.h"
#include "mcp/client/client_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace holdfast::mcp {

JsonObject ClientListening::filter() const {
  JsonObject filter;
  const JsonObject& capabilities = link_.peer()->capabilities;
  for (const auto& [capability, member] : {std::pair("tools", "toolsListChanged"), std::pair("prompts", "promptsListChanged"),
                                           std::pair("resources", "resourcesListChanged")}) {
    const JsonObject* declared = find_object(capabilities, capability);
    if (lists_ && declared && find_bool(*declared, "listChanged").value_or(false)) filter[member] = true;
  }
  if (!watched_.empty()) {
    JsonArray uris;
    for (const std::string& uri : watched_) uris.emplace_back(uri);
    filter["resourceSubscriptions"] = std::move(uris);
  }
  return filter;
}

void ClientListening::begin() {
  end();
  delay_ = kFirstDelay;
  if (link_.peer()->era() == Era::modern) return listen();
  for (const std::string& uri : watched_) tell_legacy("resources/subscribe", uri);
}

void ClientListening::watch(const std::string& uri) {
  if (!watched_.insert(uri).second) return;
  link_.want();
  if (!link_.peer()) return;
  link_.peer()->era() == Era::modern ? listen_soon() : tell_legacy("resources/subscribe", uri);
}

void ClientListening::unwatch(const std::string& uri) {
  if (watched_.erase(uri) == 0 || !link_.peer()) return;
  link_.peer()->era() == Era::modern ? listen_soon() : tell_legacy("resources/unsubscribe", uri);
}

void ClientListening::tell_legacy(const char* method, const std::string& uri) {
  CallRequest request;
  request.method = method;
  request.params["uri"] = uri;
  calls_.start(std::move(request), [method, uri](CallResult<JsonObject> answer) {
    if (!answer && answer.error().rpc)
      log(LogLevel::warn, "mcp", fmt::format("{} {}: {}", method, uri, answer.error().error.message));
  });
}

// A subscription cannot be changed, only replaced; several changes in a row make one of it.
void ClientListening::listen_soon() {
  end();
  timer_ = executor_.after(std::chrono::milliseconds(0), alive_.guard([this] {
    timer_ = 0;
    listen();
  }));
}

void ClientListening::end() {
  alive_.cut();
  executor_.cancel(std::exchange(timer_, 0));
  calls_.cancel(std::exchange(ticket_, 0));
}

void ClientListening::listen() {
  if (!link_.peer() || link_.peer()->era() != Era::modern) return;
  JsonObject wanted = filter();
  if (wanted.empty()) return;
  CallRequest request;
  request.method = "subscriptions/listen";
  request.params["notifications"] = std::move(wanted);
  request.options.timeout = request.options.limit = kNoLimit;
  ticket_ = calls_.start(std::move(request), alive_.guard([this](CallResult<JsonObject> ended) {
    ticket_ = 0;
    if (!ended && ended.error().rpc) return;  // it does not want to; lists are then good for their ttl
    timer_ = executor_.after(delay_, alive_.guard([this] {
      timer_ = 0;
      listen();
    }));
    delay_ = std::min(delay_ * 2, kLongestDelay);
  }));
}

}  // namespace holdfast::mcp
