#include "runner/connect_servers.h"

#include "mcp/transport_child.h"
#include "mcp/transport_http_client.h"

namespace holdfast::runner {

LiveServer::Connect connect_servers(net::EventLoop& loop) {
  return [&loop](const ServerDefinition& server, const std::vector<std::string>& folders) {
    if (!server.url.empty()) return mcp::http_transport_maker(loop, {server.url, server.headers, true});
    std::vector<std::string> arguments = server.arguments;
    if (server.roots_at)
      arguments.insert(arguments.begin() + static_cast<std::ptrdiff_t>(*server.roots_at), folders.begin(), folders.end());
    return mcp::child_transport_maker(loop, {server.command, std::move(arguments), server.environment, server.folder});
  };
}

}  // namespace holdfast::runner
