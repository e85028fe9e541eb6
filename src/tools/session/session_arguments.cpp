#include "tools/session/session_arguments.h"

#include "base/run/when.h"
#include "session/kinds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace holdfast::tools {

namespace {

std::string_view singular(std::string_view name) {
  for (std::string_view kind : session::kKinds)
    if (name == kind || (name.size() == kind.size() + 1 && name.starts_with(kind) && name.ends_with('s'))) return kind;
  return {};
}

}  // namespace

std::vector<std::string> texts_of(const JsonObject& arguments, std::string_view key) {
  const Json* value = find(arguments, key);
  if (!value) return {};
  if (value->is_string()) return {std::string(view(value->get_string()))};
  return strings_in(arguments, key);
}

Result<std::size_t> limit_of(const JsonObject& arguments, std::int64_t fallback, std::int64_t highest) {
  const std::int64_t limit = find_int(arguments, "limit").value_or(fallback);
  if (limit < 1 || limit > highest)
    return fail(ErrorKind::invalid, fmt::format("limit must be from 1 to {}, not {}", highest, limit),
                "ask for the rest in further calls", "invalid_argument");
  return static_cast<std::size_t>(limit);
}

Result<std::vector<std::string>> kinds_of(const JsonObject& arguments) {
  std::vector<std::string> kinds;
  for (const std::string& name : texts_of(arguments, "type")) {
    if (name == "all") return std::vector<std::string>{};
    const std::string_view kind = singular(name);
    if (kind.empty())
      return fail(ErrorKind::invalid, fmt::format("type: there is no kind of session called {}", name),
                  fmt::format("use all or one of {}", fmt::join(session::kKinds, ", ")), "invalid_argument");
    kinds.emplace_back(kind);
  }
  if (!kinds.empty()) return kinds;
  for (std::string_view kind : session::kKinds)
    if (kind != session::kTranscript) kinds.emplace_back(kind);
  return kinds;
}

Result<std::vector<session::Visibility>> visibilities_of(const JsonObject& arguments) {
  std::vector<session::Visibility> visibilities;
  for (const std::string& name : texts_of(arguments, "visibility")) {
    auto visibility = session::parse_visibility(name);
    if (!visibility)
      return fail(ErrorKind::invalid, fmt::format("visibility: {} is not one", name), "use live, archived or deleted",
                  "invalid_argument");
    visibilities.push_back(*visibility);
  }
  // Deleted ones are listed only when asked for, and as a status they are asked for, too (design 8.6).
  const std::vector<std::string> statuses = texts_of(arguments, "status");
  if (visibilities.empty() && std::ranges::find(statuses, name_of(session::Visibility::deleted)) != statuses.end())
    visibilities = {session::Visibility::live, session::Visibility::archived, session::Visibility::deleted};
  return visibilities;
}

Result<std::optional<Millis>> time_of(const JsonObject& arguments, std::string_view key, Millis now) {
  auto text = find_string(arguments, key);
  if (!text) return std::nullopt;
  auto time = parse_when(*text, now);
  if (!time) return fail(std::move(time).error().within(key));
  return *time;
}

session::Redaction redaction_of(const JsonObject& arguments) {
  session::Redaction redaction;
  for (const char* key : {"message_ids", "source_ids"})
    for (std::string& id : texts_of(arguments, key)) redaction.entry_ids.push_back(std::move(id));
  redaction.pattern = find_string(arguments, "pattern").value_or("");
  redaction.regex = find_bool(arguments, "regex").value_or(false);
  return redaction;
}

JsonObject redaction_arguments() {
  const JsonObject ids{
      {"type", "array"}, {"items", JsonObject{{"type", "string"}}}, {"description", "redact: what to take away"}};
  return {{"message_ids", ids},
          {"source_ids", ids},
          {"pattern", JsonObject{{"type", "string"}, {"description", "redact: this text, wherever it stands"}}},
          {"regex", JsonObject{{"type", "boolean"}, {"description", "pattern is an RE2 expression"}}}};
}

}  // namespace holdfast::tools
