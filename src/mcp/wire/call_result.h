#pragma once

// How a request to another server ended.

#include "base/json/json.h"
#include "mcp/wire/rpc.h"

#include <expected>
#include <optional>
#include <string_view>

namespace holdfast::mcp {

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
