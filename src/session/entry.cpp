#include "session/entry.h"

#include "base/text/text.h"
#include "session/length_prefix.h"
#include "session/limits.h"

#include <fmt/format.h>

namespace holdfast::session {
namespace {

Result<void> check_label(std::string_view name, std::string_view text, std::size_t max_bytes) {
  if (text.size() > max_bytes) {
    return fail(ErrorKind::too_large,
                fmt::format("{} of an entry is {} bytes long; at most {} are kept", name, text.size(), max_bytes));
  }
  if (!is_valid_utf8(text)) return fail(ErrorKind::invalid, fmt::format("{} of an entry is not valid UTF-8", name));
  return {};
}

}  // namespace

Result<void> check_entry(const NewEntry& entry) {
  if (entry.type.empty()) return fail(ErrorKind::invalid, "an entry needs a type");
  if (entry.number < 0) return fail(ErrorKind::invalid, "the number of an entry must not be negative");
  HF_CHECK(check_label("type", entry.type, kMaxWordBytes));
  HF_CHECK(check_label("lane", entry.lane, kMaxLabelBytes));
  HF_CHECK(check_label("author", entry.author, kMaxLabelBytes));
  HF_CHECK(check_label("run", entry.run, kMaxLabelBytes));
  HF_CHECK(check_label("idempotency key", entry.idempotency_key, kMaxIdempotencyKeyBytes));
  // Text and data are kept byte for byte, whatever they are.
  if (entry.text.size() > kMaxTextBytes || entry.data.size() > kMaxTextBytes) {
    return fail(ErrorKind::too_large, fmt::format("an entry holds at most {} bytes of text and of data", kMaxTextBytes));
  }
  return {};
}

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
