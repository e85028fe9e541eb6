// holdfast token add|list|revoke: who may use the HTTP server.

#include "cli/commands.h"
#include "web/access_tokens.h"

#include <fmt/format.h>

#include <unistd.h>

#include <cerrno>

namespace holdfast::cli {

Result<void> add_token(Context& context) {
  HF_TRY(auto store, context.open_store());
  HF_TRY(std::string token, web::AccessTokens(*store).add(context.line.name));
  if (context.line.json)
    print_json(JsonObject{{"name", context.line.name}, {"token", token}});
  else
    print(token + "\n");
  return {};
}

Result<void> list_tokens(Context& context) {
  HF_TRY(auto store, context.open_store());
  HF_TRY(auto tokens, web::AccessTokens(*store).list());
  if (context.line.json) {
    JsonArray listed;
    for (const web::AccessToken& token : tokens)
      listed.push_back(JsonObject{{"name", token.principal}, {"created_at", iso8601(token.created_at)}});
    print_json(JsonObject{{"tokens", std::move(listed)}});
    return {};
  }
  Table table({{"NAME"}, {"CREATED"}});
  for (const web::AccessToken& token : tokens) table.add({token.principal, iso8601(token.created_at)});
  print(table.text(context.terminal));
  return {};
}

Result<void> revoke_token(Context& context) {
  const std::string& name = context.line.name;
  HF_TRY(auto store, context.open_store());
  HF_CHECK(web::AccessTokens(*store).revoke(name));
  // The file would bring the first token back at the next start.
  if (name == web::kFirstToken && ::unlink(context.folders.token_file().c_str()) != 0 && errno != ENOENT)
    return fail(system_error("remove " + context.folders.token_file(), errno));
  if (context.line.json)
    print_json(JsonObject{{"revoked", name}});
  else
    print(fmt::format("{} is revoked; running servers refuse it within seconds\n", name));
  return {};
}

}  // namespace holdfast::cli
