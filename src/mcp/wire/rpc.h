#pragma once

// JSON-RPC 2.0 messages: reading one, writing one.

#include "base/json/json.h"

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace holdfast::mcp {

namespace code {
inline constexpr int kParse = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternal = -32603;
inline constexpr int kHeaderMismatch = -32020;
inline constexpr int kMissingCapability = -32021;
inline constexpr int kUnsupportedVersion = -32022;
inline constexpr int kResourceNotFoundLegacy = -32002;
}  // namespace code

struct RpcError {
  int code = code::kInternal;
  std::string message;
  Json data;  // null: none
};

RpcError invalid_params(std::string message);

// The wire code of one of our errors (the one place where kinds become JSON-RPC codes).
RpcError to_rpc_error(const Error& error);

struct Message {
  enum class Kind { request, notification, response };
  Kind kind = Kind::notification;
  Json id;             // string or integer; null for a notification
  std::string method;  // empty for a response
  JsonObject params;
  Json result;     // of a response; null when it is an error
  RpcError error;  // of a response
  bool is_error = false;
};

// Why a JSON value is not a message; id is null when it could not be read.
struct BadMessage {
  RpcError error;
  Json id;
  bool is_notification = false;  // broken, but certainly one: it must not be answered on a pipe
};

std::expected<Message, BadMessage> read_message(Json value);

// Whole messages as text.
std::string write_result(const Json& id, const JsonObject& result);
std::string write_error(const Json& id, const RpcError& error);  // a null id is left out
std::string write_notification(std::string_view method, const JsonObject& params);
std::string write_request(std::string_view id, std::string_view method, const JsonObject& params);
std::string write_request(std::int64_t id, std::string_view method, const JsonObject& params);

// A key for maps: two ids are the same id exactly when their keys are equal ("1" and 1 differ).
std::string id_key(const Json& id);

// What a server wrote, as JSON, read as generously as is safe.
//
// JavaScript cuts a text in the middle of a character and writes the half as "\ud800", which other languages refuse; a program
// may print bytes that are no UTF-8. Dropping such a message would lose the whole answer and leave its call waiting. So what
// cannot be a character becomes U+FFFD, and the rest is delivered. Anything else that is wrong stays wrong.

// `from` names the server in the log, where a repair is noted. Errors: those of parse_json.
Result<Json> parse_incoming(std::string_view text, std::string_view from);

}  // namespace holdfast::mcp
