#pragma once

// What proves that a form was filled in on one of our own pages (against cross-site request forgery).
//
// The token is made from the login cookie and the store's secret: it belongs to one login, ends with it, needs no storage, and
// every process that shares the store makes the same. A page of another site can make a browser send the form, but can neither
// read the token nor make it. (The cookie's SameSite=Strict and the check of the Origin stand before it: gateway.h.)

#include <string>
#include <string_view>

namespace holdfast::web {

inline constexpr std::string_view kFormTokenField = "form_token";

// `cookie` is empty where nobody logs in (--no-auth): the token is then secret only through the same-origin rule.
std::string make_form_token(std::string_view secret, std::string_view cookie);
bool form_token_fits(std::string_view secret, std::string_view cookie, std::string_view presented);

}  // namespace holdfast::web
