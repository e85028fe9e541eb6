#include "mcp/transport/http_answers.h"

#include "base/text/text.h"

namespace holdfast::mcp {

void answer(net::HttpExchange& exchange, int status, std::string body, net::HttpHeaders headers) {
  if (!body.empty()) headers.emplace_back("Content-Type", "application/json");
  exchange.respond({status, std::move(headers), std::move(body)});
}

void refuse(net::HttpExchange& exchange, int status, const Json& id, const RpcError& error) {
  answer(exchange, status, write_error(id, error));
}

bool accepts(const net::HttpRequest& request, std::string_view type) {
  std::string family(type.substr(0, type.find('/')));
  bool present = false;
  // The list may be spread over several headers.
  for (const auto& [name, value] : request.headers) {
    if (!equal_ignoring_ascii_case(name, "Accept")) continue;
    present = true;
    std::string accepted = to_ascii_lower(value);
    if (accepted.contains(type) || accepted.contains("*/*") || accepted.contains(family + "/*")) return true;
  }
  return !present;
}

}  // namespace holdfast::mcp
