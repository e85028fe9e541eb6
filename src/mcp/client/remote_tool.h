#pragma once

// A tool of another server, as it described itself.

#include "base/json/json.h"
#include "mcp/wire/header_rules.h"
#include "mcp/wire/rpc.h"

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::mcp {

struct RemoteTool {
  std::string name;
  JsonObject definition;            // as sent, every member
  std::vector<HeaderRule> headers;  // arguments that are repeated in HTTP headers
  // Hints, of a server that is believed as far as its tools are run at all.
  bool read_only = false;
  bool idempotent = false;
};

// Immutable once made; shared with whoever asked.
struct ToolList {
  std::vector<RemoteTool> tools;  // in the server's order
  std::string hash;               // of the definitions: the same hash is the same list
  bool stale = false;             // the server could not be asked again

  const RemoteTool* find(std::string_view name) const;
};

// Entries that are no tools are left out, and over HTTP those whose header rules break the specification
// (mcp-protocol §13); both are logged. Of two tools of one name the first is kept.
std::shared_ptr<ToolList> read_tools(const JsonArray& definitions, bool over_http);

// How a request to another server ended.

// What is known of the work behind a request that has no result.
enum class Outcome {
  not_executed,  // the server never got it, or refused it: it may be repeated
  unknown,       // it may have been executed, in part or whole, or still run: repeating a write is dangerous
};

struct CallError {
  Error error;
  Outcome outcome = Outcome::not_executed;
  std::optional<RpcError> rpc;  // what the server answered, if it did
};

template <class T>
using CallResult = std::expected<T, CallError>;

inline std::unexpected<CallError> call_failed(Error error, Outcome outcome = Outcome::not_executed) {
  return std::unexpected(CallError{std::move(error), outcome, std::nullopt});
}

// A JSON-RPC error that a server sent, as one of ours. code is "server_error".
CallError error_from_server(std::string_view method, RpcError error);

}  // namespace holdfast::mcp
