#include "mcp/client_listening.h"

#include "mcp/client_limits.h"

#include <algorithm>
#include <utility>

namespace holdfast::mcp {
namespace {

// What of its lists the server announces.
JsonObject filter_for(const JsonObject& capabilities) {
  JsonObject filter;
  for (const auto& [capability, member] : {std::pair("tools", "toolsListChanged"), std::pair("prompts", "promptsListChanged"),
                                           std::pair("resources", "resourcesListChanged")}) {
    const JsonObject* declared = find_object(capabilities, capability);
    if (declared && find_bool(*declared, "listChanged").value_or(false)) filter[member] = true;
  }
  return filter;
}

}  // namespace

void ClientListening::begin() {
  end();
  delay_ = kFirstDelay;
  listen();
}

void ClientListening::end() {
  alive_.cut();
  executor_.cancel(std::exchange(timer_, 0));
  calls_.cancel(std::exchange(ticket_, 0));
}

void ClientListening::listen() {
  if (!link_.peer() || link_.peer()->era() != Era::modern) return;
  JsonObject filter = filter_for(link_.peer()->capabilities);
  if (filter.empty()) return;
  CallRequest request;
  request.method = "subscriptions/listen";
  request.params["notifications"] = std::move(filter);
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
