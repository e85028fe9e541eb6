// tools/list and tools/call.

#include "base/run/log.h"
#include "mcp/server/server.h"
#include "mcp/wire/limits.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace holdfast::mcp {

namespace {

constexpr std::size_t kMaxToolName = 64;  // the public suite's limit; the specification allows 128

bool is_tool_name(std::string_view name) {
  if (name.empty() || name.size() > kMaxToolName) return false;
  for (char c : name)
    if (!(std::isalnum(static_cast<unsigned char>(c)) || std::string_view("_./-").contains(c))) return false;
  return true;
}

// "3" -> 3, "true" -> true, where the schema wants a number or a boolean: real clients send strings.
void coerce(JsonObject& arguments, const JsonObject& schema) {
  const JsonObject* properties = find_object(schema, "properties");
  if (!properties) return;
  for (auto& argument : arguments) {
    const auto* text = argument.value().if_string();
    const JsonObject* property = find_object(*properties, argument.key());
    if (!text || !property) continue;
    auto type = find_string(*property, "type");
    const char* begin = text->data();
    const char* end = begin + text->size();
    if (type == "boolean" && (*text == "true" || *text == "false")) {
      argument.value() = *text == "true";
    } else if (type == "integer" || type == "number") {
      std::int64_t whole = 0;
      double real = 0;
      if (auto [stop, error] = std::from_chars(begin, end, whole); error == std::errc() && stop == end)
        argument.value() = whole;
      else if (auto [stop2, error2] = std::from_chars(begin, end, real);
               error2 == std::errc() && stop2 == end && std::isfinite(real))  // "nan" is a string
        argument.value() = real;
    }
  }
}

std::vector<std::string> take_unknown(JsonObject& arguments, const JsonObject& schema) {
  std::vector<std::string> unknown;
  const JsonObject* properties = find_object(schema, "properties");
  for (const auto& argument : arguments)
    if (!properties || !properties->contains(argument.key())) unknown.emplace_back(argument.key());
  for (const std::string& key : unknown) arguments.erase(key);
  return unknown;
}

JsonObject result_to_wire(ToolResult result, Version version) {
  JsonObject wire{{"content", std::move(result.content)}};
  if (result.structured && version >= Version::v2025_06_18 && (era_of(version) == Era::modern || result.structured->is_object()))
    wire["structuredContent"] = std::move(*result.structured);
  if (result.is_error) wire["isError"] = true;
  if (!result.meta.empty()) wire["_meta"] = std::move(result.meta);
  return wire;
}

// Whatever the arguments.
Scope least_scope(const Tool& tool) {
  if (tool.scope_of) return Scope::read;
  if (tool.scope) return *tool.scope;
  return find_bool(tool.annotations, "readOnlyHint") == true ? Scope::read : Scope::write;
}

Scope scope_of(const Tool& tool, const JsonObject& arguments) {
  return tool.scope_of ? tool.scope_of(arguments) : least_scope(tool);
}

// What is wrong with a result, if the tool has promised a form. (An error need not have it.)
std::optional<std::string> check_output(const std::optional<Schema>& schema, const ToolResult& result) {
  if (!schema || result.is_error) return std::nullopt;
  if (!result.structured) return "there is no structured content";
  auto violations = schema->validate(*result.structured);
  if (violations.empty()) return std::nullopt;
  return describe(violations);
}

}  // namespace

Result<void> Server::add_tool(Tool tool) {
  if (!is_tool_name(tool.name)) return fail(ErrorKind::invalid, "not a tool name: " + tool.name);
  if (tools_by_name_.contains(tool.name)) return fail(ErrorKind::conflict, "two tools are called " + tool.name);
  if (!tool.input_schema.contains("type")) tool.input_schema["type"] = "object";
  if (tool.unknown == Tool::Unknown::refuse) tool.input_schema["additionalProperties"] = false;
  auto schema = Schema::compile(Json(tool.input_schema));
  if (!schema) return fail(std::move(schema).error().within("tool " + tool.name));
  std::optional<Schema> output;
  if (tool.output_schema) {
    auto compiled = Schema::compile(Json(*tool.output_schema));
    if (!compiled) return fail(std::move(compiled).error().within("output of tool " + tool.name));
    output = std::move(*compiled);
  }
  auto rules = read_header_rules(tool.input_schema);
  if (!rules) return fail(std::move(rules).error().within("tool " + tool.name));
  JsonObject listed{{"name", tool.name}};
  if (!tool.title.empty()) listed["title"] = tool.title;
  listed["description"] = tool.description;
  listed["inputSchema"] = tool.input_schema;
  if (tool.output_schema) listed["outputSchema"] = *tool.output_schema;
  if (!tool.annotations.empty()) listed["annotations"] = tool.annotations;
  auto registered = std::make_shared<RegisteredTool>(
      RegisteredTool{std::move(tool), std::move(*schema), std::move(output), std::move(*rules), std::move(listed)});
  tools_by_name_.emplace(registered->tool.name, registered);
  tools_.push_back(std::move(registered));
  return {};
}

const std::vector<HeaderRule>* Server::header_rules_of(std::string_view tool) const {
  auto found = tools_by_name_.find(std::string(tool));
  return found == tools_by_name_.end() || found->second->header_rules.empty() ? nullptr : &found->second->header_rules;
}

Scope Server::scope_needed(const Message& request) const {
  if (request.method == "tasks/update" || request.method == "tasks/cancel") return Scope::write;
  if (request.method != "tools/call") return Scope::read;
  const auto found = tools_by_name_.find(std::string(find_string(request.params, "name").value_or("")));
  if (found == tools_by_name_.end()) return Scope::read;
  const Tool& tool = found->second->tool;
  const JsonObject* given = find_object(request.params, "arguments");
  JsonObject arguments = tool.scope_of && given ? *given : JsonObject();
  if (tool.normalise) tool.normalise(arguments);
  return scope_of(tool, arguments);
}

std::vector<const Tool*> Server::tools() const {
  std::vector<const Tool*> tools;
  for (const auto& tool : tools_)
    if (tool->tool.listed) tools.push_back(&tool->tool);
  return tools;
}

void Server::on_list_tools(std::shared_ptr<Run> run) {
  std::vector<const JsonObject*> listed;
  const Caller& caller = run->caller();
  for (const auto& tool : tools_)
    if (tool->tool.listed && (caller.era() == Era::modern || tool->tool.eras == Tool::Eras::both) &&
        caller.scopes.has(least_scope(tool->tool)))
      listed.push_back(&tool->listed);
  const bool for_all = std::ranges::all_of(tools_, [](const auto& tool) { return least_scope(tool->tool) == Scope::read; });
  answer_page(*run, "tools", listed, for_all);
}

void Server::on_call_tool(std::shared_ptr<Run> run) {
  const JsonObject& params = run->request().params;
  const Caller& caller = run->caller();
  auto invalid = [&](std::string message) { run->fail_with(invalid_params(std::move(message))); };
  auto name = find_string(params, "name");
  if (!name) return invalid("tools/call needs the name of a tool");
  auto found = tools_by_name_.find(std::string(*name));
  if (found == tools_by_name_.end() || (caller.era() == Era::legacy && found->second->tool.eras == Tool::Eras::modern_only))
    return invalid("there is no tool " + std::string(*name) + "; tools/list names those there are");
  std::shared_ptr<RegisteredTool> tool = found->second;
  if (const Json* arguments = find(params, "arguments")) {
    if (!arguments->is_object()) return invalid("arguments must be an object");
    run->arguments() = arguments->get_object();
  }
  if (caller.era() == Era::modern) {
    if (auto error = run->take_carried_input()) return run->fail_with(*error);
    bool knows_tasks = options_.tasks && caller.has_extension(kTasksExtension);
    if (tool->tool.tasks == Tool::Tasks::required && !knows_tasks)
      return run->fail_with(missing_tasks_extension("this tool runs only as a task"));
    if (knows_tasks && tool->tool.tasks != Tool::Tasks::never) run->set_task_capable();
  }
  if (tool->tool.normalise) tool->tool.normalise(run->arguments());
  // Over HTTP a caller that may not has been refused with a status; what comes in a batch has none of its own.
  if (const Scope needed = scope_of(tool->tool, run->arguments()); !caller.scopes.has(needed))
    return run->finish_with(result_to_wire(ToolResult::failure(missing_scope(needed)), caller.version));
  if (!caller.has_token && tool->tool.starts_programs && tool->tool.starts_programs(run->arguments()))
    return run->finish_with(result_to_wire(ToolResult::failure(missing_token()), caller.version));
  if (tool->tool.unknown == Tool::Unknown::report)
    run->ignored_arguments() = take_unknown(run->arguments(), tool->tool.input_schema);
  if (tool->tool.coerce_strings) coerce(run->arguments(), tool->tool.input_schema);
  Json value(std::move(run->arguments()));
  std::vector<SchemaViolation> violations;
  if (!tool->tool.handler_validates) violations = tool->schema.validate(value);
  run->arguments() = std::move(value.get_object());
  if (!violations.empty()) {
    std::string text = "invalid arguments for " + tool->tool.name + ": " + describe(violations);
    // A tool that takes what it gets as far as it can, or has a word of its own, has one form for all its errors.
    const std::string& word = tool->tool.argument_error;
    if (tool->tool.unknown == Tool::Unknown::report || !word.empty()) {
      Error error = make_error(ErrorKind::invalid, std::move(text), "nothing was changed; correct it and call again");
      error.code = word.empty() ? "invalid_argument" : word;
      return run->finish_with(result_to_wire(ToolResult::failure(error), caller.version));
    }
    // A model can mend its call only if it gets to see the reason: since 2025-11-25 that is a tool result.
    if (caller.version < Version::v2025_11_25) return invalid(std::move(text));
    return run->finish_with(result_to_wire(ToolResult::failure(text), caller.version));
  }
  run->start(
      [this, tool](Call& call) -> Reply<JsonObject> {
        const LogTrace trace(find_string(call.request_meta(), "traceparent").value_or(""));
        if (before_tools_ && tool->tool.run_on == RunOn::pool) before_tools_(tool->tool.name, call);
        ToolReply reply = tool->tool.handler(call);
        if (auto* result = std::get_if<ToolResult>(&reply)) {
          if (auto problem = check_output(tool->output, *result)) {
            log(LogLevel::error, "mcp", "tool " + tool->tool.name + " breaks its own output schema: " + *problem);
            return RpcError{code::kInternal, "the tool's result does not fit its output schema; the server's log has the details",
                            nullptr};
          }
          return result_to_wire(std::move(*result), call.caller().version);
        }
        if (auto* error = std::get_if<RpcError>(&reply)) return std::move(*error);
        return InputRequired{};
      },
      tool->tool.run_on);
}

}  // namespace holdfast::mcp
