#include "web/logins.h"

#include "base/hash.h"
#include "base/ids.h"

namespace holdfast::web {

namespace {

constexpr std::string_view kCodes = "http.login";
constexpr std::string_view kSessions = "http.session";
constexpr std::size_t kCodeChars = 26;    // 130 bits in base32: it is read aloud and typed sometimes
constexpr std::size_t kCookieChars = 43;  // 256 bits
constexpr std::size_t kMaxPresented = 200;

std::string key_of(std::string_view secret) {
  return to_hex(sha256(secret));
}

std::optional<std::string> principal_in(const std::optional<session::KeyedValue>& row) {
  if (!row || !row->value.is_object()) return std::nullopt;
  auto principal = find_string(row->value.get_object(), "principal");
  if (!principal) return std::nullopt;
  return std::string(*principal);
}

}  // namespace

Result<std::string> Logins::make_code(const std::string& principal) {
  const std::string code = random_base32(kCodeChars);
  return store_.write([&](session::Transaction& transaction) -> Result<std::string> {
    HF_CHECK(transaction.put(kCodes, key_of(code), Json(JsonObject{{"principal", principal}}), session::Expect::absent(),
                             transaction.now() + kLoginCodeLife));
    return code;
  });
}

Result<std::optional<std::string>> Logins::redeem(std::string_view code) {
  if (code.empty() || code.size() > kMaxPresented) return std::nullopt;
  const std::string cookie = random_base62(kCookieChars);
  return store_.write([&](session::Transaction& transaction) -> Result<std::optional<std::string>> {
    HF_TRY(auto row, transaction.value(kCodes, key_of(code)));
    auto principal = principal_in(row);
    if (!principal) return std::nullopt;
    HF_CHECK(transaction.erase(kCodes, key_of(code)));
    HF_CHECK(transaction.put(kSessions, key_of(cookie), Json(JsonObject{{"principal", *principal}}), session::Expect::absent(),
                             transaction.now() + kBrowserSessionLife));
    return cookie;
  });
}

Result<std::optional<std::string>> Logins::principal_of(std::string_view cookie) {
  if (cookie.empty() || cookie.size() > kMaxPresented) return std::nullopt;
  HF_TRY(auto row, store_.value(kSessions, key_of(cookie)));
  return principal_in(row);
}

Result<void> Logins::end(std::string_view cookie) {
  return store_.write([&](session::Transaction& transaction) -> Result<void> {
    HF_CHECK(transaction.erase(kSessions, key_of(cookie)));
    return {};
  });
}

}  // namespace holdfast::web
