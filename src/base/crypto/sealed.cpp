#include "base/crypto/sealed.h"

#include "base/crypto/hash.h"

namespace holdfast {

std::string Sealer::mac(std::string_view purpose, std::string_view payload) const {
  std::string bytes(purpose);
  bytes += '\0';
  bytes += payload;
  return std::string(bytes_of(hmac_sha256(secret_, bytes)));
}

std::string Sealer::seal(std::string_view purpose, const JsonObject& payload) const {
  std::string text = to_json(payload);
  return "v1." + to_base64url(text) + "." + to_base64url(mac(purpose, text));
}

Result<JsonObject> Sealer::open(std::string_view purpose, std::string_view text) const {
  auto refuse = [] { return fail(ErrorKind::invalid, "not a value this server gave out, or it was changed"); };
  if (!text.starts_with("v1.")) return refuse();
  text.remove_prefix(3);
  std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return refuse();
  auto payload = from_base64url(text.substr(0, dot));
  auto code = from_base64url(text.substr(dot + 1));
  if (!payload || !code || !equal_in_constant_time(*code, mac(purpose, *payload))) return refuse();
  auto value = parse_json(*payload);
  if (!value || !value->is_object()) return refuse();
  return std::move(value->get_object());
}

}  // namespace holdfast
