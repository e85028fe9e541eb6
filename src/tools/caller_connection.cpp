#include "tools/caller_connection.h"

#include <fmt/format.h>

namespace holdfast::tools {

reasoning::Connection fresh_connection_of(const mcp::Caller& caller, const std::string& owner) {
  reasoning::Connection connection;
  connection.principal = caller.principal;
  if (caller.era() == mcp::Era::modern || caller.connection.empty()) return connection;
  const bool stdio = caller.transport == mcp::Transport::stdio;
  // Every process has one pipe, and calls it the same; with the name of the process it is one of its own.
  connection.id = stdio ? owner + "/" + caller.connection : caller.connection;
  connection.transport = stdio ? "stdio" : "http";
  connection.owner = owner;
  connection.opened_at = caller.opened_at;
  return connection;
}

Result<reasoning::Connection> connection_of(const mcp::Caller& caller, session::Reader& reader, const std::string& owner) {
  reasoning::Connection connection = fresh_connection_of(caller, owner);
  if (!connection.id.empty()) HF_CHECK(reasoning::recall_connection(reader, connection));
  return connection;
}

std::string client_name(const mcp::Caller& caller) {
  const std::string_view name = find_string(caller.client_info, "name").value_or("");
  const std::string_view version = find_string(caller.client_info, "version").value_or("");
  return version.empty() ? std::string(name) : fmt::format("{}/{}", name, version);
}

}  // namespace holdfast::tools
