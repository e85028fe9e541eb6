#pragma once

// What a client says about itself with its requests: in the legacy handshake once, in the modern era every time.

#include "base/json/json.h"
#include "mcp/client/client.h"
#include "mcp/wire/header_rules.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::mcp {

struct ClientIdentity {
  JsonObject info;          // name, version, title
  JsonObject capabilities;  // in the modern form
  JsonObject legacy_capabilities;
};

ClientIdentity identity_of(const ClientOptions& options, const ClientHandlers& handlers);

// Adds the modern envelope to params._meta; other members of _meta stay.
void add_envelope(JsonObject& params, const ClientIdentity& identity, Version version);

// The headers of one modern request over HTTP (mcp-protocol §5); rules: those of the tool that is called.
std::vector<std::pair<std::string, std::string>> modern_headers(Version version, std::string_view method,
                                                                const JsonObject& params, const std::vector<HeaderRule>& rules);

}  // namespace holdfast::mcp
