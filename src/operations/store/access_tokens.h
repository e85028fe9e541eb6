#pragma once

// The bearer tokens of HTTP (design 8.10 to 8.12).
//
// The store keeps only hashes; a token is shown once, when it is made. The first one is different: a person
// on this machine must be able to look it up, so its text is in a file that only its owner can read. Its
// name is `local`, which is also whose sessions it opens, and it may do everything; other tokens open those of their own name, or
// of their team, and may do what they were made for.
//
// All calls block (the store); any thread. Nothing here writes a token to the log.

#include "base/identity.h"
#include "session/store.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::operations {

inline constexpr std::string_view kTokenPrefix = "hf_";
inline constexpr std::size_t kMaxTokens = 1000;  // all are compared with each request

// What a token is made for.
struct TokenGrant {
  std::string name;  // of the token, and of the person who holds it
  std::string team;  // whose sessions it opens; empty: the person's own
  Scopes scopes = {Scope::write, Scope::review};
  std::vector<std::string> projects;  // canonical roots; empty: all
  std::optional<Millis> expires_at;

  Identity identity() const;
};
// With what tokens have when nothing else is said.
TokenGrant grant_for(std::string name);

struct AccessToken {
  TokenGrant grant;
  std::string hash;  // SHA-256 of the token, hex
  Millis created_at = 0;

  bool is_over(Millis now) const { return grant.expires_at && *grant.expires_at <= now; }
};

// For somebody whose token was good until then.
Error expired_token(Millis expired_at);

class AccessTokens {
 public:
  explicit AccessTokens(session::Store& store) : store_(store) {}

  // Makes sure that the token in the file is one the store accepts; makes both when there is none. Machines that share a store
  // have a file and a token each: the first one's is called local, the others' local/ and where they are.
  Result<void> ensure_first(const std::string& file);

  // Returns the token's text. conflict when the name is taken, invalid when it or the team's is not a name, or it may do nothing.
  Result<std::string> add(const TokenGrant& grant);
  Result<std::vector<AccessToken>> list();
  Result<std::optional<AccessToken>> named(std::string_view name);
  Result<void> revoke(const std::string& name);  // not_found

 private:
  Result<void> put(const std::string& name, JsonObject value, std::string_view token, session::Expect expect);

  session::Store& store_;
};

// Whose token this is; nullptr when nobody's. Takes the same time for every wrong one.
const AccessToken* find_token(const std::vector<AccessToken>& tokens, std::string_view presented);

}  // namespace holdfast::operations
