#include "mcp/server/caller.h"

#include <array>

namespace holdfast::mcp {

namespace {
constexpr std::array<std::string_view, 8> kSeverities = {"debug", "info",     "notice", "warning",
                                                         "error", "critical", "alert",  "emergency"};
}

std::optional<Severity> severity_named(std::string_view name) {
  for (std::size_t i = 0; i < kSeverities.size(); ++i)
    if (kSeverities[i] == name) return static_cast<Severity>(i);
  return std::nullopt;
}

std::string_view name_of(Severity severity) {
  return kSeverities[static_cast<std::size_t>(severity)];
}

RpcError missing_tasks_extension(std::string message) {
  JsonObject extensions{{kTasksExtension, JsonObject{}}};
  return {code::kMissingCapability, std::move(message),
          JsonObject{{"requiredCapabilities", JsonObject{{"extensions", std::move(extensions)}}}}};
}

JsonObject owner_fields(const Identity& owner) {
  return {{"principal", owner.principal}, {"projects", to_json_array(owner.projects)}};
}

std::optional<Identity> owner_in(const JsonObject& written) {
  const auto principal = find_string(written, "principal");
  const JsonArray* projects = find_array(written, "projects");
  if (!principal || principal->empty() || !projects) return std::nullopt;
  Identity owner{std::string(*principal), std::string(*principal), {}, {}};
  for (const Json& project : *projects) {
    if (!project.is_string()) return std::nullopt;
    owner.projects.emplace_back(view(project.get_string()));
  }
  return owner;
}

Error missing_scope(Scope needed) {
  const std::string name(holdfast::name_of(needed));
  return make_error(ErrorKind::refused, "this token may not do that: it lacks the scope " + name,
                    "ask for a token with the scope " + name, "insufficient_scope");
}

Error missing_token() {
  return make_error(ErrorKind::refused, "this starts programs, and for that a token is needed, also with --no-auth",
                    "use it over stdio, or send a token: the first one is in the file `token` of holdfast's data folder",
                    "token_needed");
}

bool Caller::can_elicit_form() const {
  if (version < Version::v2025_06_18) return false;
  const JsonObject* elicitation = find_object(capabilities, "elicitation");
  // Absent modes mean form: the capability is older than the modes.
  return elicitation && (elicitation->contains("form") || !elicitation->contains("url"));
}

bool Caller::can_elicit_url() const {
  if (version < Version::v2025_11_25) return false;
  const JsonObject* elicitation = find_object(capabilities, "elicitation");
  return elicitation && elicitation->contains("url");
}

bool Caller::can_sample() const {
  return find_object(capabilities, "sampling") != nullptr;
}

bool Caller::can_sample_with_tools() const {
  const JsonObject* sampling = find_object(capabilities, "sampling");
  return version >= Version::v2025_11_25 && sampling && find_object(*sampling, "tools") != nullptr;
}

bool Caller::can_list_roots() const {
  return find_object(capabilities, "roots") != nullptr;
}

bool Caller::has_extension(std::string_view id) const {
  const JsonObject* extensions = find_object(capabilities, "extensions");
  return extensions && find_object(*extensions, id) != nullptr;
}

}  // namespace holdfast::mcp
