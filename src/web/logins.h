#pragma once

// How a browser gets in (design 8.12): a code that works once, for ten minutes, becomes a cookie that works
// for a week. The store keeps hashes of both, so any process that shares it can check them, and ending one
// needs no restart.
//
// All calls block (the store); any thread.

#include "session/store.h"

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::web {

inline constexpr Millis kLoginCodeLife = 10 * 60 * 1000;
inline constexpr Millis kBrowserSessionLife = 7LL * 24 * 60 * 60 * 1000;

class Logins {
 public:
  explicit Logins(session::Store& store) : store_(store) {}

  // A fresh code for the pages of this principal.
  Result<std::string> make_code(const std::string& principal);
  // Uses the code up and returns the value of the cookie; nullopt when it is not one, or was used, or is too old.
  Result<std::optional<std::string>> redeem(std::string_view code);
  // Whose cookie this is; nullopt when nobody's.
  Result<std::optional<std::string>> principal_of(std::string_view cookie);
  // The cookie works no more; one that nobody has is ended already.
  Result<void> end(std::string_view cookie);

 private:
  session::Store& store_;
};

}  // namespace holdfast::web
