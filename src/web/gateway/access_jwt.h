#pragma once

// An access token of an authorization server: a JSON Web Token in its compact form (RFC 7519, RFC 9068), taken apart and judged.
//
// Everything in a token is a stranger's word until its signature has been checked, and the header never decides how: it names a
// key of the issuer's (issuer_keys.h), and the key's own algorithm counts. Claims are judged as well before as after that;
// nothing is done with them until both have held. Values, no I/O.

#include "base/identity.h"
#include "base/json/json.h"
#include "base/run/clock.h"

#include <string>
#include <string_view>

namespace holdfast::web {

inline constexpr std::size_t kMaxJwtBytes = 16 * 1024;  // the largest with many groups come near 8 KiB
inline constexpr Millis kJwtLeeway = 60 * 1000;         // clocks of two machines

struct AccessJwt {
  std::string key_id;     // kid; may be empty
  std::string algorithm;  // alg, as claimed
  JsonObject claims;
  std::string signed_bytes, signature;
};

// Whether it has the form of one: static tokens never do.
bool looks_like_jwt(std::string_view text);

// Errors: unauthorised (not a JWT, not an access token by its typ, an algorithm that is not taken here, critical extensions).
Result<AccessJwt> read_jwt(std::string_view text);

struct JwtRules {
  std::string issuer, audience;
  std::string scope_prefix, team_claim;
};
// iss, aud, exp, nbf, sub. Errors: unauthorised, saying which.
Result<void> check_claims(const AccessJwt& token, const JwtRules& rules, Millis now);
Millis expiry_of(const AccessJwt& token);  // of one whose claims hold

// Whose it is: "issuer|subject", or the team that the team's claim names. Scopes that are not ours are passed over.
// Errors: unauthorised (the claim names no team).
Result<Identity> identity_of(const AccessJwt& token, const JwtRules& rules);

}  // namespace holdfast::web
