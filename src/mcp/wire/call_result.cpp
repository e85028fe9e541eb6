#include "mcp/wire/call_result.h"

#include <fmt/format.h>

namespace holdfast::mcp {

CallError error_from_server(std::string_view method, RpcError error) {
  ErrorKind kind = ErrorKind::unavailable;
  switch (error.code) {
    case code::kMethodNotFound:
    case code::kResourceNotFoundLegacy:
      kind = ErrorKind::not_found;
      break;
    case code::kInvalidParams:
    case code::kInvalidRequest:
    case code::kParse:
    case code::kHeaderMismatch:
      kind = ErrorKind::invalid;
      break;
    case code::kMissingCapability:
    case code::kUnsupportedVersion:
      kind = ErrorKind::refused;
      break;
    default:
      break;
  }
  // An internal error may come from the middle of the work.
  const Outcome outcome = kind == ErrorKind::unavailable ? Outcome::unknown : Outcome::not_executed;
  Error ours = make_error(kind, fmt::format("{}: the server answered {} (error {})", method, error.message, error.code), {},
                          "server_error");
  return {std::move(ours), outcome, std::move(error)};
}

}  // namespace holdfast::mcp
