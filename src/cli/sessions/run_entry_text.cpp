#include "cli/sessions/run_entry_text.h"

#include "base/json/json.h"

#include <fmt/format.h>

namespace holdfast::cli {

std::string run_entry_note(const session::Entry& entry) {
  const auto data = parse_json(entry.data.empty() ? "{}" : entry.data);
  if (!data || !data->is_object()) return {};
  const JsonObject& object = data->as_object();
  const auto text = [&](std::string_view name) { return find_string(object, name).value_or(""); };
  const auto count = [&](std::string_view name) { return find_int(object, name).value_or(0); };
  if (entry.type == "task") return std::string(text("id"));
  if (entry.type == "tool_call")
    return fmt::format("{} {}{}", text("name"), text("arguments"),
                       find_bool(object, "is_error").value_or(false) ? " failed" : "");
  if (entry.type == "round")
    return fmt::format("{} of task {}, {} call{}", count("round"), count("index") + 1, count("calls"),
                       count("calls") == 1 ? "" : "s");
  if (entry.type != "result") return {};
  const JsonObject* error = find_object(object, "error");
  return fmt::format("{}: {}{}{}", text("id"), text("status"), error ? ", " : "",
                     error ? find_string(*error, "message").value_or("") : "");
}

}  // namespace holdfast::cli
