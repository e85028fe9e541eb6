// holdfast token add|list|revoke: who may use the HTTP server, in words.

#include "cli/program/context.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace holdfast::cli {

std::string added_token_text(const JsonObject& facts, const Context&) {
  return text_in(facts, "token") + "\n";
}

std::string tokens_text(const JsonObject& facts, const Context& context) {
  Table table({{"NAME"}, {"SESSIONS OF"}, {"SCOPES"}, {"PROJECTS"}, {"EXPIRES"}, {"CREATED"}});
  for (const Json& each : *find_array(facts, "tokens")) {
    const JsonObject& token = each.as_object();
    const bool has_expired = find_bool(token, "has_expired").value_or(false);
    const std::vector<std::string> projects = operations::Given(token).texts("projects");
    const std::string expires = text_in(token, "expires_at");
    table.add({text_in(token, "name"), text_in(token, "principal"), text_in(token, "scopes"),
               projects.empty() ? "all" : fmt::format("{}", fmt::join(projects, " ")),
               expires.empty() ? "never"
               : has_expired   ? "has expired"
                               : expires,
               text_in(token, "created_at")});
  }
  return table.text(context.terminal);
}

std::string revoked_token_text(const JsonObject& facts, const Context&) {
  return fmt::format("{} is revoked; running servers refuse it within seconds\n", text_in(facts, "revoked"));
}

}  // namespace holdfast::cli
