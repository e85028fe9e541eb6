#pragma once

// What a server wrote, as JSON, read as generously as is safe.
//
// JavaScript cuts a text in the middle of a character and writes the half as "\ud800", which other languages refuse; a program
// may print bytes that are no UTF-8. Dropping such a message would lose the whole answer and leave its call waiting. So what
// cannot be a character becomes U+FFFD, and the rest is delivered. Anything else that is wrong stays wrong.

#include "base/json/json.h"

#include <string_view>

namespace holdfast::mcp {

// `from` names the server in the log, where a repair is noted. Errors: those of parse_json.
Result<Json> parse_incoming(std::string_view text, std::string_view from);

}  // namespace holdfast::mcp
