#include "session/chain.h"

#include "session/length_prefix.h"

namespace holdfast::session {

Digest chain_start(std::string_view session_id) {
  return sha256(std::string("holdfast session 1\n").append(session_id));
}

Digest body_mac(std::string_view salt, std::string_view text, std::string_view data) {
  std::string body;
  body.reserve(text.size() + data.size() + 16);
  put_string(body, text);
  put_string(body, data);
  return hmac_sha256(salt, body);
}

Digest chain_hash(const Digest& previous, const Entry& entry, const Digest& mac) {
  std::string input = "holdfast entry 1\n";
  input.reserve(256);
  input += bytes_of(previous);
  put_integer(input, entry.seq);
  put_integer(input, entry.time);
  put_integer(input, entry.number);
  put_string(input, entry.type);
  put_string(input, entry.lane);
  put_string(input, entry.author);
  put_string(input, entry.run);
  put_string(input, entry.idempotency_key);
  input += bytes_of(mac);
  return sha256(input);
}

}  // namespace holdfast::session
