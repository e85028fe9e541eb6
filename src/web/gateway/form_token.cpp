#include "web/gateway/form_token.h"

#include "base/crypto/hash.h"

namespace holdfast::web {

std::string make_form_token(std::string_view secret, std::string_view cookie) {
  return to_base64url(bytes_of(hmac_sha256(secret, "form token\n" + std::string(cookie))));
}

bool form_token_fits(std::string_view secret, std::string_view cookie, std::string_view presented) {
  return equal_in_constant_time(make_form_token(secret, cookie), presented);
}

}  // namespace holdfast::web
