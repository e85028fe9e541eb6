#pragma once

// How a browser gets in (design 8.12): a code that works once, for ten minutes, becomes a cookie that works
// for a week. The store keeps hashes of both, so any process that shares it can check them, and ending one
// needs no restart. A login is one of a token: it may do what that token may now, and ends with it.
//
// A browser sends a cookie to every port of a host, and so to servers of others on the same machine. Therefore a cookie counts
// only from the place where it was given out (LoginPlace): for the same user's processes, which the kernel tells, and for
// login_host(), a name that only those know who were told the address.
//
// All calls block (the store); any thread.

#include "base/identity.h"
#include "session/store.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::web {

inline constexpr Millis kLoginCodeLife = 10 * 60 * 1000;
inline constexpr Millis kBrowserSessionLife = 7LL * 24 * 60 * 60 * 1000;

struct LoginPlace {
  std::string host;                   // login_host() when the browser came under that name, else empty
  std::optional<std::uint32_t> user;  // whose process it is, for a browser of this machine
};

// A host name below localhost, which browsers take for this machine without asking anybody: the second secret beside the cookie,
// because a server at another port is sent the cookie only when it knows the name. The same for all who share the store.
std::string login_host(std::string_view secret);

class Logins {
 public:
  explicit Logins(session::Store& store) : store_(store) {}

  // A fresh code for who holds the token of this name. not_found when there is none.
  Result<std::string> make_code(const std::string& token_name);
  // Uses the code up and returns the value of the cookie; nullopt when it is not one, or was used, or is too old.
  // The cookie belongs to the place.
  Result<std::optional<std::string>> redeem(std::string_view code, const LoginPlace& place);
  // Whose cookie this is; nullopt when nobody's, when it belongs to another place, or when its token is revoked, made anew or
  // over.
  Result<std::optional<Identity>> identity_of(std::string_view cookie, const LoginPlace& place, Millis now);
  // The cookie works no more; one that nobody has is ended already.
  Result<void> end(std::string_view cookie);

 private:
  session::Store& store_;
};

// What proves that a form was filled in on one of our own pages (against cross-site request forgery).
//
// The token is made from the login cookie and the store's secret: it belongs to one login, ends with it, needs no storage, and
// every process that shares the store makes the same. A page of another site can make a browser send the form, but can neither
// read the token nor make it. (The cookie's SameSite=Strict and the check of the Origin stand before it: gateway.h.)
inline constexpr std::string_view kFormTokenField = "form_token";

// `cookie` is empty where nobody logs in (--no-auth): the token is then secret only through the same-origin rule.
std::string make_form_token(std::string_view secret, std::string_view cookie);
bool form_token_fits(std::string_view secret, std::string_view cookie, std::string_view presented);

}  // namespace holdfast::web
