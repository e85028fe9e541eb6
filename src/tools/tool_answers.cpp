#include "tools/tool_answers.h"

#include "tools/argument_spelling.h"

#include <algorithm>
#include <array>

namespace holdfast::tools {

namespace {

// Arguments that the contract writes otherwise than the rest, which is camelCase.
constexpr std::array<std::string_view, 6> kWrittenAsTheyAre = {"updated_since", "updated_before", "before_seq",
                                                               "notice_ids",    "message_ids",    "source_ids"};

}  // namespace

std::string argument_of(std::string_view parameter) {
  if (parameter == "session" || parameter == "sessions") return parameter == "session" ? "sessionId" : "sessionIds";
  if (std::ranges::find(kWrittenAsTheyAre, parameter) != kWrittenAsTheyAre.end()) return std::string(parameter);
  return to_camel_case(parameter);
}

operations::Given given_of(const operations::Operation& operation, const JsonObject& arguments) {
  operations::Given given;
  for (const operations::Parameter& each : operation.parameters)
    if (const Json* value = find(arguments, argument_of(each.name))) given.set(each.name, *value);
  return given;
}

void add_ignored(JsonObject& state, const mcp::Call& call, const std::vector<std::string>& more) {
  if (call.ignored_arguments().empty() && more.empty()) return;
  JsonArray ignored;
  for (const std::string& name : call.ignored_arguments()) ignored.emplace_back(name);
  for (const std::string& name : more) ignored.emplace_back(name);
  state["ignoredFields"] = std::move(ignored);
}

mcp::ToolResult failure_with_ignored(Error error, const mcp::Call& call) {
  operations::put_in_spelling_of(error, argument_of);
  if (error.kind == ErrorKind::invalid && error.code.empty()) error.code = "invalid_argument";
  if (error.kind == ErrorKind::invalid && error.hint.empty()) error.hint = "nothing was changed; correct it and call again";
  mcp::ToolResult failure = mcp::ToolResult::failure(error);
  if (call.ignored_arguments().empty()) return failure;
  JsonObject state = failure.structured->as_object();
  add_ignored(state, call);
  failure = mcp::ToolResult::state(std::move(state));
  failure.is_error = true;
  return failure;
}

}  // namespace holdfast::tools
