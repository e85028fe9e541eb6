// token add, list, revoke: who may use the HTTP server, and what for.

#include "base/run/when.h"
#include "base/text/uri.h"
#include "operations/context.h"
#include "operations/store/access_tokens.h"
#include "operations/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <array>
#include <cerrno>

namespace holdfast::operations {

namespace {

using enum Parameter::Type;

constexpr std::array kTokenAddParameters{
    Parameter{.name = "name", .help = "whose it is", .required = true, .option = "NAME"},
    Parameter{"scope", texts, "read, write, review, admin; several with commas", "read,write,review"},
    Parameter{"project", texts, "a project that it may see, DIR or URI; several times for several", "all"},
    Parameter{"team", text, "it opens the sessions of this team instead of NAME's own"},
    Parameter{"expires", text, "how long it is good: 12h, 30d, 8w, or a date", "for ever"}};
constexpr std::array kTokenRevokeParameters{
    Parameter{.name = "name", .help = "the one to end", .required = true, .option = "NAME"}};

Facts token_facts(const AccessToken& token, Millis now) {
  const TokenGrant& grant = token.grant;
  Facts facts{{"name", grant.name},
              {"principal", grant.identity().principal},
              {"scopes", grant.scopes.text()},
              {"created_at", iso8601(token.created_at)}};
  if (!grant.team.empty()) facts["team"] = grant.team;
  if (!grant.projects.empty()) facts["projects"] = JsonArray(grant.projects.begin(), grant.projects.end());
  if (grant.expires_at) facts["expires_at"] = iso8601(*grant.expires_at);
  if (token.is_over(now)) facts["has_expired"] = true;
  return facts;
}

Result<TokenGrant> read_grant(Context& context, const Given& given) {
  TokenGrant grant = grant_for(given.text("name"));
  grant.team = given.text("team");
  if (given.has("scope")) {
    HF_TRY(grant.scopes, Scopes::parse(fmt::format("{}", fmt::join(given.texts("scope"), ","))));
  }
  for (const std::string& project : given.texts("project")) {
    std::string place = project;  // a URI as clients send it, or a folder as a person types it
    if (!project.contains("://")) {
      HF_TRY(place, context.absolute(project));
    }
    HF_TRY(std::string root, canonical_root(place));
    grant.projects.push_back(std::move(root));
  }
  if (const std::string expires = given.text("expires"); !expires.empty()) {
    HF_TRY(grant.expires_at, parse_until(expires, context.now()));
  }
  return grant;
}

Result<Facts> add_token(Context& context, const Given& given) {
  HF_TRY(const TokenGrant grant, read_grant(context, given));
  HF_TRY(const Administration administration, context.administration());
  HF_TRY(session::Store* const store, administration.store(false));
  HF_TRY(std::string token, AccessTokens(*store).add(grant));
  Facts facts = token_facts({grant, {}, context.now()}, context.now());
  facts["token"] = std::move(token);
  return facts;
}

Result<Facts> list_tokens(Context& context, const Given&) {
  HF_TRY(const Administration administration, context.administration());
  HF_TRY(session::Store* const store, administration.store(false));
  HF_TRY(const auto tokens, AccessTokens(*store).list());
  JsonArray listed;
  for (const AccessToken& token : tokens) listed.push_back(token_facts(token, context.now()));
  return Facts{{"tokens", std::move(listed)}};
}

Result<Facts> revoke_token(Context& context, const Given& given) {
  const std::string name = given.text("name");
  HF_TRY(const Administration administration, context.administration());
  HF_TRY(session::Store* const store, administration.store(false));
  HF_CHECK(AccessTokens(*store).revoke(name));
  // The file would bring the first token back at the next start.
  if (name == kLocalPrincipal && ::unlink(administration.token_file.c_str()) != 0 && errno != ENOENT)
    return fail(system_error("remove " + administration.token_file, errno));
  return Facts{{"revoked", name}};
}

constexpr std::array kTokenOperations{
    for_scope(Scope::admin, adds("token add", "make a token; it is shown once", kTokenAddParameters, add_token)),
    for_scope(Scope::admin, reads("token list", "names of all tokens", {}, list_tokens)),
    for_scope(Scope::admin, removes("token revoke", "end a token", kTokenRevokeParameters, revoke_token)),
};

}  // namespace

std::span<const Operation> token_operations() {
  return kTokenOperations;
}

}  // namespace holdfast::operations
