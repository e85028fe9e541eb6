#pragma once

// holdfast as an OAuth 2.1 protected resource: whose tokens it takes, and what it says about that.
//
// The settings of a person, what is published about them (RFC 9728), and the challenges in WWW-Authenticate (RFC 6750, RFC 9728
// section 5.1) that bring a client from "401" to the right authorization server, and from "403" to a stronger token. Without an
// issuer only static tokens are taken, and a challenge names nothing to ask. No I/O. The public address is set once, before the
// first request; then any thread.

#include "base/identity.h"
#include "base/json/json.h"

#include <string>
#include <string_view>

namespace holdfast::web {

struct OauthSettings {
  std::string issuer;        // exactly as tokens name it; empty: no tokens of others are taken
  std::string audience;      // whom a token must be meant for; empty: resource()
  std::string jwks_uri;      // empty: found through the issuer's metadata
  std::string public_url;    // how clients reach this server, without /mcp; empty: as it listens
  std::string scope_prefix;  // "holdfast:" makes holdfast:read
  std::string team_claim;    // empty: tokens are for persons

  // Errors: invalid (a URL), refused (plain http to another machine).
  Result<void> check() const;
};

class OauthResource {
 public:
  explicit OauthResource(OauthSettings settings) : settings_(std::move(settings)) {}

  // http://host:port as it listens; the setting public_url wins.
  void set_address(std::string address);

  bool is_enabled() const { return !settings_.issuer.empty(); }
  const OauthSettings& settings() const { return settings_; }
  std::string resource() const;  // the address of the endpoint: what clients ask tokens for
  std::string audience() const { return settings_.audience.empty() ? resource() : settings_.audience; }

  JsonObject metadata() const;

  // For somebody without a token; with a wrong one (why: printable, short); with one that lacks a scope.
  std::string challenge() const;
  std::string challenge_invalid(std::string_view why) const;
  std::string challenge_scope(Scope needed) const;

 private:
  std::string with_metadata(std::string challenge) const;
  std::string named(Scope scope) const { return settings_.scope_prefix + std::string(name_of(scope)); }

  OauthSettings settings_;
  std::string address_;
};

// The paths at which the metadata is: that of the root and that of /mcp.
bool is_resource_metadata_path(std::string_view path);

}  // namespace holdfast::web
