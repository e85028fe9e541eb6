#include "kinds/transcripts/products/claude/fresh_uuid.h"

#include "base/crypto/hash.h"

namespace holdfast::transcripts {

std::string fresh_uuid(std::string_view new_session, std::string_view old_uuid) {
  Digest digest = hmac_sha256(new_session, old_uuid);
  digest[6] = static_cast<std::uint8_t>(0x40 | (digest[6] & 0x0F));  // version 4
  digest[8] = static_cast<std::uint8_t>(0x80 | (digest[8] & 0x3F));  // its variant
  std::string uuid = to_hex(std::span(digest).first<16>());
  for (const std::size_t hyphen : {8U, 13U, 18U, 23U}) uuid.insert(hyphen, 1, '-');
  return uuid;
}

}  // namespace holdfast::transcripts
