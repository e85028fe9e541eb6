#include "web/gateway/server_address.h"

#include "net/http/http_url.h"
#include "web/gateway/logins.h"

#include <fmt/format.h>

namespace holdfast::web {

namespace {

constexpr std::string_view kServerSpace = "http.server";
constexpr std::string_view kAddressKey = "address";

}  // namespace

Result<void> remember_address(session::Store& store, const std::string& url) {
  return store.write([&](session::Transaction& transaction) -> Result<void> {
    HF_CHECK(transaction.put(kServerSpace, kAddressKey, Json(JsonObject{{"url", url}})));
    return {};
  });
}

Result<std::optional<std::string>> last_address(session::Store& store) {
  HF_TRY(auto row, store.value(kServerSpace, kAddressKey));
  if (!row || !row->value.is_object()) return std::nullopt;
  auto url = find_string(row->value.get_object(), "url");
  if (!url) return std::nullopt;
  return std::string(*url);
}

std::string address_of(const std::string& host, std::uint16_t port) {
  if (host == "0.0.0.0" || host == "::" || host == "[::]") return fmt::format("http://127.0.0.1:{}", port);
  const bool bare_v6 = host.contains(':') && !host.starts_with('[');
  return bare_v6 ? fmt::format("http://[{}]:{}", host, port) : fmt::format("http://{}:{}", host, port);
}

std::optional<std::string> private_address(const std::string& address, const session::Store& store) {
  auto url = net::parse_http_url(address);
  if (!url || !url->is_this_machine()) return std::nullopt;
  url->host = login_host(store.secret());
  return url->origin();
}

}  // namespace holdfast::web
