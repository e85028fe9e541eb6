// holdfast token add|list|revoke: who may use the HTTP server, and what for.

#include "base/run/when.h"
#include "base/text/uri.h"
#include "cli/program/context.h"
#include "web/gateway/access_tokens.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace holdfast::cli {

namespace {

// DIR as a person types it, or a URI as clients send it.
Result<std::string> project_of(const std::string& given) {
  if (given.contains("://")) return canonical_root(given);
  std::error_code error;
  const std::filesystem::path path = std::filesystem::absolute(given, error);
  if (error) return fail(ErrorKind::invalid, fmt::format("{} is no folder: {}", given, error.message()));
  return canonical_root(path.lexically_normal().string());
}

Result<web::TokenGrant> read_grant(const Context& context) {
  const operations::Given& given = context.given;
  web::TokenGrant grant;
  grant.name = given.text("name");
  grant.team = given.text("team");
  if (given.has("scope")) {
    HF_TRY(grant.scopes, Scopes::parse(fmt::format("{}", fmt::join(given.texts("scope"), ","))));
  }
  for (const std::string& project : given.texts("project")) {
    HF_TRY(std::string root, project_of(project));
    grant.projects.push_back(std::move(root));
  }
  if (const std::string expires = given.text("expires"); !expires.empty()) {
    HF_TRY(grant.expires_at, parse_until(expires, context.clock->now()));
  }
  return grant;
}

JsonObject token_json(const web::AccessToken& token) {
  const web::TokenGrant& grant = token.grant;
  JsonObject fields{{"name", grant.name},
                    {"principal", grant.identity().principal},
                    {"scopes", grant.scopes.text()},
                    {"created_at", iso8601(token.created_at)}};
  if (!grant.team.empty()) fields["team"] = grant.team;
  if (!grant.projects.empty()) fields["projects"] = JsonArray(grant.projects.begin(), grant.projects.end());
  if (grant.expires_at) fields["expires_at"] = iso8601(*grant.expires_at);
  return fields;
}

}  // namespace

Result<void> add_token(Context& context) {
  HF_TRY(const web::TokenGrant grant, read_grant(context));
  HF_TRY(auto store, context.open_store());
  HF_TRY(std::string token, web::AccessTokens(*store).add(grant));
  if (context.json) {
    JsonObject made = token_json({grant, {}, context.clock->now()});
    made["token"] = token;
    print_json(made);
  } else {
    print(token + "\n");
  }
  return {};
}

Result<void> list_tokens(Context& context) {
  HF_TRY(auto store, context.open_store());
  HF_TRY(auto tokens, web::AccessTokens(*store).list());
  if (context.json) {
    JsonArray listed;
    for (const web::AccessToken& token : tokens) listed.push_back(token_json(token));
    print_json(JsonObject{{"tokens", std::move(listed)}});
    return {};
  }
  const Millis now = context.clock->now();
  Table table({{"NAME"}, {"SESSIONS OF"}, {"SCOPES"}, {"PROJECTS"}, {"EXPIRES"}, {"CREATED"}});
  for (const web::AccessToken& token : tokens) {
    const web::TokenGrant& grant = token.grant;
    std::string projects = grant.projects.empty() ? "all" : fmt::format("{}", fmt::join(grant.projects, " "));
    std::string expires = !grant.expires_at ? "never" : token.is_over(now) ? "has expired" : iso8601(*grant.expires_at);
    table.add({grant.name, grant.identity().principal, grant.scopes.text(), std::move(projects), std::move(expires),
               iso8601(token.created_at)});
  }
  print(table.text(context.terminal));
  return {};
}

Result<void> revoke_token(Context& context) {
  const std::string name = context.given.text("name");
  HF_TRY(auto store, context.open_store());
  HF_CHECK(web::AccessTokens(*store).revoke(name));
  // The file would bring the first token back at the next start.
  if (name == web::kLocal && ::unlink(context.folders.token_file().c_str()) != 0 && errno != ENOENT)
    return fail(system_error("remove " + context.folders.token_file(), errno));
  if (context.json)
    print_json(JsonObject{{"revoked", name}});
  else
    print(fmt::format("{} is revoked; running servers refuse it within seconds\n", name));
  return {};
}

}  // namespace holdfast::cli
