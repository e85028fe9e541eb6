#pragma once

// Text that a client carries for us and must not change: requestState, cursors, confirmation tokens.
//
// The text is "v1.<payload>.<HMAC-SHA256>", both base64url. It is authentic, not secret, and not
// single use: what must be bound (principal, purpose, expiry) goes into the payload.

#include "base/json/json.h"
#include "base/run/clock.h"

#include <string>
#include <string_view>

namespace holdfast {

class Sealer {
 public:
  explicit Sealer(std::string secret) : secret_(std::move(secret)) {}

  // purpose keeps a cursor from passing as a requestState.
  std::string seal(std::string_view purpose, const JsonObject& payload) const;
  // invalid when the text was not sealed by this secret for this purpose.
  Result<JsonObject> open(std::string_view purpose, std::string_view text) const;

 private:
  std::string mac(std::string_view purpose, std::string_view payload) const;
  std::string secret_;
};

}  // namespace holdfast
