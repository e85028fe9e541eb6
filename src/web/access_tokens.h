#pragma once

// The bearer tokens of HTTP (design 8.10 to 8.12).
//
// The store keeps only hashes; a token is shown once, when it is made. The first one is different: a person
// on this machine must be able to look it up, so its text is in a file that only its owner can read. Its
// name is `local`, which is also whose sessions it opens; other tokens open those of their own name.
//
// All calls block (the store); any thread. Nothing here writes a token to the log.

#include "session/store.h"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::web {

inline constexpr std::string_view kFirstToken = "local";
inline constexpr std::size_t kMaxTokens = 1000;  // all are compared with each request

struct AccessToken {
  std::string principal;
  std::string hash;  // SHA-256 of the token, hex
  Millis created_at = 0;
};

class AccessTokens {
 public:
  explicit AccessTokens(session::Store& store) : store_(store) {}

  // Makes sure that the token in the file is one the store accepts; makes both when there is none.
  Result<void> ensure_first(const std::string& file);

  // Returns the token's text. conflict when the name is taken, invalid when it is not a name.
  Result<std::string> add(const std::string& name);
  Result<std::vector<AccessToken>> list();
  Result<void> revoke(const std::string& name);  // not_found

 private:
  Result<void> put(const std::string& name, std::string_view token, session::Expect expect);

  session::Store& store_;
};

// Whose token this is; nullptr when nobody's. Takes the same time for every wrong one.
const AccessToken* find_token(const std::vector<AccessToken>& tokens, std::string_view presented);

}  // namespace holdfast::web
