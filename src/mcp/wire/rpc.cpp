#include "mcp/wire/rpc.h"

#include "base/run/log.h"
#include "base/text/text.h"

#include <fmt/format.h>

namespace holdfast::mcp {
namespace {

std::unexpected<BadMessage> bad(std::string message, Json id = nullptr, bool is_notification = false) {
  return std::unexpected(BadMessage{{code::kInvalidRequest, std::move(message), nullptr}, std::move(id), is_notification});
}

bool is_id(const Json& id) {
  return id.is_string() || id.is_int64() || id.is_uint64();
}

void begin(std::string& out, const Json& id) {
  out += R"({"jsonrpc":"2.0")";
  if (!id.is_null()) {
    out += R"(,"id":)";
    append_json(out, id);
  }
}

std::string write_call(const Json& id, std::string_view method, const JsonObject& params) {
  std::string out;
  begin(out, id);
  out += R"(,"method":)";
  append_json_string(out, method);
  if (!params.empty()) {
    out += R"(,"params":)";
    append_json(out, params);
  }
  out += '}';
  return out;
}

}  // namespace

RpcError invalid_params(std::string message) {
  return {code::kInvalidParams, std::move(message), nullptr};
}

RpcError to_rpc_error(const Error& error) {
  int rpc_code = code::kInternal;
  switch (error.kind) {
    case ErrorKind::invalid:
    case ErrorKind::not_found:
    case ErrorKind::ambiguous:
    case ErrorKind::conflict:
    case ErrorKind::refused:
    case ErrorKind::unauthorised:
    case ErrorKind::too_large:
      rpc_code = code::kInvalidParams;
      break;
    case ErrorKind::corrupt:
    case ErrorKind::unavailable:
    case ErrorKind::timeout:
    case ErrorKind::cancelled:
    case ErrorKind::io:
    case ErrorKind::internal:
      break;
  }
  RpcError out{rpc_code, error.message, nullptr};
  if (!error.hint.empty()) out.data = JsonObject{{"hint", error.hint}};
  return out;
}

std::expected<Message, BadMessage> read_message(Json value) {
  JsonObject* object = value.if_object();
  if (!object) return bad("a message is a JSON object");
  Message message;
  bool has_id = false;
  if (const Json* id = find(*object, "id")) {
    if (is_id(*id)) {
      message.id = *id;
      has_id = true;
    } else if (!(id->is_null() && object->contains("error"))) {
      return bad("id must be a string or an integer");
    }
  }
  const bool is_notification = !object->contains("id") && find_string(*object, "method");
  if (find_string(*object, "jsonrpc") != "2.0") return bad(R"(jsonrpc must be "2.0")", message.id, is_notification);
  if (const Json* method = find(*object, "method")) {
    if (!method->is_string()) return bad("method must be a string", message.id);
    message.method = view(method->get_string());
    message.kind = has_id ? Message::Kind::request : Message::Kind::notification;
    if (Json* params = object->if_contains("params")) {
      if (!params->is_object()) return bad("params must be an object", message.id, is_notification);
      message.params = std::move(params->get_object());
    }
    return message;
  }
  message.kind = Message::Kind::response;
  if (Json* result = object->if_contains("result")) {
    if (!has_id) return bad("a response needs the id of its request");
    message.result = std::move(*result);
    return message;
  }
  if (const JsonObject* error = find_object(*object, "error")) {
    message.is_error = true;
    message.error.code = static_cast<int>(find_int(*error, "code").value_or(code::kInternal));
    message.error.message = find_string(*error, "message").value_or("");
    if (const Json* data = find(*error, "data")) message.error.data = *data;
    return message;
  }
  return bad("a message has a method, a result or an error", message.id);
}

std::string write_result(const Json& id, const JsonObject& result) {
  std::string out;
  out.reserve(256);
  begin(out, id);
  out += R"(,"result":)";
  append_json(out, result);
  out += '}';
  return out;
}

std::string write_error(const Json& id, const RpcError& error) {
  std::string out;
  begin(out, id);
  out += R"(,"error":{"code":)";
  out += std::to_string(error.code);
  out += R"(,"message":)";
  append_json_string(out, error.message);
  if (!error.data.is_null()) {
    out += R"(,"data":)";
    append_json(out, error.data);
  }
  out += "}}";
  return out;
}

std::string write_notification(std::string_view method, const JsonObject& params) {
  return write_call(nullptr, method, params);
}

std::string write_request(std::string_view id, std::string_view method, const JsonObject& params) {
  return write_call(Json(boost::json::string_view(id.data(), id.size())), method, params);
}

std::string write_request(std::int64_t id, std::string_view method, const JsonObject& params) {
  return write_call(Json(id), method, params);
}

std::string id_key(const Json& id) {
  return to_json(id);
}

Result<Json> parse_incoming(std::string_view text, std::string_view from) {
  auto value = parse_json(text);
  if (value || value.error().kind != ErrorKind::invalid) return value;
  auto repaired = parse_json(without_lone_surrogates(to_valid_utf8(text)));
  if (!repaired) return value;
  log(LogLevel::info, "mcp", fmt::format("{} sent a message with what is no character; it reads U+FFFD instead", from));
  return repaired;
}

}  // namespace holdfast::mcp
