#pragma once

// MCP over streamable HTTP, as a client, in both eras. Each message is a POST of its own; its answer is JSON or a stream.
//
// Legacy: the session id that the server gives is sent with everything; a stream that breaks is resumed after the wait
// the server asks for; a stand-alone stream brings what belongs to no request; a session that the server has forgotten
// (404) is a lost connection, and the request that found out is sent again on the next one. Modern: none of this exists,
// and giving up a request closes its stream. A request that fails is undelivered; the connection, being only a session
// id, goes on. Where there is an authorizer, a request that is refused for want of authorization waits for it and is sent
// again, a few times at most. Loop thread only.

#include "mcp/client/client_transport.h"
#include "mcp/transport/http_authorizer.h"
#include "net/run/event_loop.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::mcp {

struct HttpEndpoint {
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;  // sent with every request: Authorization and its like
  bool listen = true;                                        // legacy: open the stand-alone stream
  std::shared_ptr<HttpAuthorizer> authorizer = nullptr;      // asked before each request, and when one is refused
};

// The loop outlives every transport that is made.
TransportMaker http_transport_maker(net::EventLoop& loop, HttpEndpoint endpoint);

}  // namespace holdfast::mcp
