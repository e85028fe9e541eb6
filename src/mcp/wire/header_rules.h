#pragma once

// What HTTP clients repeat of the params in headers: a name in Mcp-Name, and arguments, which x-mcp-header marks in a tool's
// schema, in Mcp-Param-*.

#include "base/json/json.h"
#include "mcp/wire/rpc.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::mcp {

struct HeaderRule {
  std::vector<std::string> path;  // of the property, through `properties` alone
  std::string header;             // "Region": the header is Mcp-Param-Region
};

// The rules a schema declares. invalid when one breaks the specification's conditions (mcp-protocol §13).
Result<std::vector<HeaderRule>> read_header_rules(const JsonObject& input_schema);

// The member of params that Mcp-Name must repeat, for what stands between; empty when the method has none.
std::string_view named_member(std::string_view method);

// Header values that are not plain visible ASCII travel as =?base64?...?=. Strict: wrong padding or a
// foreign character is invalid.
Result<std::string> decode_header_value(std::string_view value);
std::string encode_header_value(std::string_view value);

// What a client sends along with these arguments: one header for each rule whose argument is there and not null.
std::vector<std::pair<std::string, std::string>> param_headers(const std::vector<HeaderRule>& rules, const JsonObject& arguments);

// find_header returns nullptr when a header is absent. An error is the -32020 to answer with.
std::optional<RpcError> check_param_headers(const std::vector<HeaderRule>& rules, const JsonObject& arguments,
                                            const std::function<const std::string*(std::string_view)>& find_header);

}  // namespace holdfast::mcp
