// holdfast login: a fresh address that logs a browser in.

#include "cli/program/context.h"
#include "cli/program/login_address.h"
#include "operations/store/access_tokens.h"
#include "web/gateway/server_address.h"

namespace holdfast::cli {

Result<void> print_login(Context& context) {
  const Settings& settings = context.settings;
  HF_TRY(auto store, context.open_store());
  std::string address = web::address_of(settings.text("host"), static_cast<std::uint16_t>(settings.number("port")));
  // What somebody said counts; otherwise the server that runs may have taken another port.
  if (!settings.is_set("host") && !settings.is_set("port")) {
    HF_TRY(auto last, web::last_address(*store));
    if (last) address = *last;
  }
  const std::string typed = context.given.text("name");
  const std::string name = typed.empty() ? std::string(kLocalPrincipal) : typed;
  if (name == kLocalPrincipal) {
    HF_CHECK(make_data_folder(context.folders));
    HF_CHECK(operations::AccessTokens(*store).ensure_first(context.folders.token_file()));
  }
  HF_TRY(const LoginAddress login, make_login(*store, address, name));
  if (!context.json) {
    print(login.text(context.terminal));
    return {};
  }
  JsonObject line{{"url", login.url}};
  if (!login.private_url.empty()) line["private_url"] = login.private_url;
  print_json(line);
  return {};
}

}  // namespace holdfast::cli
