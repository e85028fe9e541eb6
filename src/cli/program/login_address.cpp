#include "cli/program/login_address.h"

#include "web/gateway/logins.h"
#include "web/gateway/server_address.h"

#include <fmt/format.h>

namespace holdfast::cli {

Result<LoginAddress> make_login(session::Store& store, const std::string& address, const std::string& token_name) {
  HF_TRY(const std::string code, web::Logins(store).make_code(token_name));
  LoginAddress login{fmt::format("{}/?code={}", address, code), {}};
  if (const auto own = web::private_address(address, store)) login.private_url = fmt::format("{}/?code={}", *own, code);
  return login;
}

std::string LoginAddress::text(const Terminal& terminal, std::string_view label) const {
  const std::string once = terminal.soft("  (works once, for ten minutes)");
  if (private_url.empty() || !terminal.is_terminal()) return fmt::format("{}{}{}\n", terminal.bold(label), url, once);
  return fmt::format("{}{}{}\n{:{}}{}{}\n", terminal.bold(label), private_url, once, "", label.size(), url,
                     terminal.soft("  (the same, for browsers that do not know names below localhost)"));
}

}  // namespace holdfast::cli
