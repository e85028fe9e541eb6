#include "web/gateway/logins.h"

#include "base/crypto/hash.h"
#include "base/ids.h"
#include "operations/store/access_tokens.h"

namespace holdfast::web {

namespace {

constexpr std::string_view kCodes = "http.login";
constexpr std::string_view kSessions = "http.session";
constexpr std::size_t kCodeChars = 26;    // 130 bits in base32: it is read aloud and typed sometimes
constexpr std::size_t kCookieChars = 43;  // 256 bits
constexpr std::size_t kHostDigits = 16;   // 64 bits: every guess needs a visit of that very browser
constexpr std::size_t kMaxPresented = 200;

std::string key_of(std::string_view secret) {
  return to_hex(sha256(secret));
}

// Which token it is one of: a name, and the hash, because a token made anew under an old name is another.
struct Owner {
  std::string token, hash;
};

std::optional<Owner> owner_in(const std::optional<session::KeyedValue>& row) {
  if (!row || !row->value.is_object()) return std::nullopt;
  const auto token = find_string(row->value.get_object(), "token"), hash = find_string(row->value.get_object(), "hash");
  if (!token || !hash) return std::nullopt;
  return Owner{std::string(*token), std::string(*hash)};
}

JsonObject owner_row(const Owner& owner) {
  return {{"token", owner.token}, {"hash", owner.hash}};
}

JsonObject login_row(const Owner& owner, const LoginPlace& place) {
  JsonObject row = owner_row(owner);
  if (!place.host.empty()) row["host"] = place.host;
  if (place.user) row["user"] = std::int64_t{*place.user};
  return row;
}

// Rows of before there were places have none, and count everywhere until they end.
bool belongs_to(const JsonObject& row, const LoginPlace& place) {
  const auto host = find_string(row, "host");
  const auto user = find_int(row, "user");
  return (!host || *host == place.host) && (!user || (place.user && *user == *place.user));
}

}  // namespace

std::string login_host(std::string_view secret) {
  return "holdfast-" + to_hex(hmac_sha256(secret, "login host")).substr(0, kHostDigits) + ".localhost";
}

Result<std::string> Logins::make_code(const std::string& token_name) {
  HF_TRY(const auto token, operations::AccessTokens(store_).named(token_name));
  if (!token) return fail(ErrorKind::not_found, "there is no token called " + token_name, "holdfast token list names them");
  const std::string code = random_base32(kCodeChars);
  return store_.write([&](session::Transaction& transaction) -> Result<std::string> {
    HF_CHECK(transaction.put(kCodes, key_of(code), Json(owner_row({token_name, token->hash})), session::Expect::absent(),
                             transaction.now() + kLoginCodeLife));
    return code;
  });
}

Result<std::optional<std::string>> Logins::redeem(std::string_view code, const LoginPlace& place) {
  if (code.empty() || code.size() > kMaxPresented) return std::nullopt;
  // Guesses read; they do not queue where everybody writes.
  HF_TRY(const auto known, store_.value(kCodes, key_of(code)));
  if (!known) return std::nullopt;
  const std::string cookie = random_base62(kCookieChars);
  return store_.write([&](session::Transaction& transaction) -> Result<std::optional<std::string>> {
    HF_TRY(auto row, transaction.value(kCodes, key_of(code)));
    const auto owner = owner_in(row);
    if (!owner) return std::nullopt;
    HF_CHECK(transaction.erase(kCodes, key_of(code)));
    HF_CHECK(transaction.put(kSessions, key_of(cookie), Json(login_row(*owner, place)), session::Expect::absent(),
                             transaction.now() + kBrowserSessionLife));
    return cookie;
  });
}

Result<std::optional<Identity>> Logins::identity_of(std::string_view cookie, const LoginPlace& place, Millis now) {
  if (cookie.empty() || cookie.size() > kMaxPresented) return std::nullopt;
  HF_TRY(auto row, store_.value(kSessions, key_of(cookie)));
  const auto owner = owner_in(row);
  if (!owner || !belongs_to(row->value.get_object(), place)) return std::nullopt;
  HF_TRY(const auto token, operations::AccessTokens(store_).named(owner->token));
  if (!token || token->hash != owner->hash || token->is_over(now)) return std::nullopt;
  return token->grant.identity();
}

Result<void> Logins::end(std::string_view cookie) {
  return store_.write([&](session::Transaction& transaction) -> Result<void> {
    HF_CHECK(transaction.erase(kSessions, key_of(cookie)));
    return {};
  });
}

std::string make_form_token(std::string_view secret, std::string_view cookie) {
  return to_base64url(bytes_of(hmac_sha256(secret, "form token\n" + std::string(cookie))));
}

bool form_token_fits(std::string_view secret, std::string_view cookie, std::string_view presented) {
  return equal_in_constant_time(make_form_token(secret, cookie), presented);
}

}  // namespace holdfast::web
