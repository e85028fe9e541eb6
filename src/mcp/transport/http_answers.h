#pragma once

// How the HTTP transport answers without a stream, and what the client said it takes.

#include "mcp/wire/rpc.h"
#include "net/http/http_server.h"

#include <string>
#include <string_view>

namespace holdfast::mcp {

// A JSON body, or none when it is empty.
void answer(net::HttpExchange& exchange, int status, std::string body, net::HttpHeaders headers = {});
// An error of ours; a null id is left out.
void refuse(net::HttpExchange& exchange, int status, const Json& id, const RpcError& error);

// Whether Accept allows this type. No Accept, and the wildcards that tools send, allow everything.
bool accepts(const net::HttpRequest& request, std::string_view type);

}  // namespace holdfast::mcp
