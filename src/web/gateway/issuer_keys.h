#pragma once

// The keys that an authorization server signs with (RFC 7517), as it publishes them.
//
// Fetched from the address of the settings, or from the one that the issuer's own metadata names; the metadata must name the very
// issuer that was asked for. Documents are bounded, redirects are not followed, and nothing but https is spoken to another
// machine.

#include "base/crypto/jwt_key.h"
#include "web/gateway/oauth_resource.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::web {

inline constexpr std::size_t kMaxIssuerKeys = 100;  // an issuer has two or three; each is tried with a token without kid

class IssuerKeys {
 public:
  IssuerKeys() = default;
  // Keys of kinds that are not taken here are passed over. Errors: corrupt (not a key set).
  static Result<IssuerKeys> read(const Json& document);

  // The key of this name for this algorithm; without a name the only one for it. nullptr: there is none.
  const VerifyingKey* find(std::string_view key_id, std::string_view algorithm) const;
  std::size_t count() const { return keys_.size(); }

 private:
  struct Named {
    std::string id;
    VerifyingKey key;
  };
  std::vector<Named> keys_;
};

// Blocks; called by one thread at a time.
using KeyFetch = std::function<Result<IssuerKeys>()>;
// Errors of what it returns: unavailable, timeout, too_large, corrupt, refused.
KeyFetch fetch_keys_of(OauthSettings settings);

}  // namespace holdfast::web
