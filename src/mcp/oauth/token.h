#pragma once

// An access token and what came with it; what we are registered as at an issuer. Both are secrets: never logged.

#include "base/json/json.h"
#include "base/run/clock.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::mcp::oauth {

struct Token {
  std::string access_token;
  std::string refresh_token;        // empty: none
  bool dpop = false;                // presented with a proof, instead of as a bearer
  std::string dpop_key;             // PEM, of the key it is bound to
  std::vector<std::string> scopes;  // granted
  Millis expires_at = 0;            // 0: not said

  bool expires_before(Millis time) const { return expires_at != 0 && expires_at < time; }
  bool covers(const std::vector<std::string>& wanted) const;
};

// The answer of a token endpoint (RFC 6749 §5.1). What it does not say is as asked for, or as before. Errors: corrupt.
Result<Token> read_token_answer(const Json& body, const std::vector<std::string>& asked_scopes, Millis now);

struct ClientRegistration {
  std::string client_id;
  std::string client_secret;  // empty: none
  std::string auth_method;    // at the token endpoint
  std::string redirect_uri;   // that it was registered with; empty: any
};

// Everything that one issuer knows us by.
struct IssuerRecord {
  std::optional<ClientRegistration> registration;  // that we made
  std::map<std::string, Token> tokens;             // by resource
};

JsonObject to_json_object(const IssuerRecord& record);
IssuerRecord read_issuer_record(const JsonObject& object);  // what is not understood is left out

}  // namespace holdfast::mcp::oauth
