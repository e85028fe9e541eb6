// holdfast reference commands|tools|surfaces: the pages of docs/reference, made from the table of commands and from what the
// server offers; and which of both come from the table of operations.

#include "base/files/file.h"
#include "base/ids.h"
#include "base/run/poll_loop.h"
#include "base/run/pool.h"
#include "cli/arguments/command.h"
#include "cli/program/context.h"
#include "cli/services/mcp_service.h"
#include "operations/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>

namespace holdfast::cli {

namespace {

using operations::Parameter;

constexpr std::size_t kPageWidth = 130;
constexpr std::string_view kPageHead = R"(# Commands

Every command, its options and an example of each. The program prints this page itself (`reference commands`), and a test compares
it with what the program prints.

What stands without brackets must be given; `...` may be several words. What holds when an option is not given stands in brackets
behind it. Settings that are options here can also come from the environment or from `config.json`
([configuration](../configuration.md)).

)";

std::string in_code(std::string_view text) {
  return fmt::format("`{}`", text);
}

// One item of a list, in lines that are not too long.
std::string item(std::string_view name, std::string_view help) {
  std::string out, line = "-";
  std::string text = fmt::format("{}: {}", name, help);
  for (std::size_t star = text.find('*'); star != text.npos; star = text.find('*', star + 2)) text.insert(star, "\\");
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t blank = std::min(rest.find(' '), rest.size());
    if (line.size() + 1 + blank > kPageWidth) {
      out += line + "\n";
      line = " ";
    }
    line += fmt::format(" {}", rest.substr(0, blank));
    rest.remove_prefix(std::min(blank + 1, rest.size()));
  }
  return out + line + "\n";
}

// "-f, --format json|zst", each spelling as code.
std::string heading_of(const Parameter& parameter) {
  using enum Parameter::Type;
  const std::string names = fmt::format("`{}`", fmt::join(spellings_of(parameter), "`, `"));
  if (parameter.type == choice || has_no_name(parameter) || parameter.type == flag) return names;
  const std::string value(value_of(parameter));
  return fmt::format("{} `{}`", names, parameter.value_may_be_left_out ? "[" + value + "]" : value);
}

std::string text_of(const Command& command, const Parameter& parameter) {
  std::string text = help_of(command, parameter);
  if (has_no_name(parameter) && !parameter.words.empty()) text += "; " + std::string(parameter.words);
  if (parameter.type == Parameter::Type::number && parameter.most != std::numeric_limits<std::int64_t>::max())
    text += fmt::format("; from {} to {}", parameter.least, parameter.most);
  for (const std::string_view other : operations::parts_of(parameter.against))
    if (other != parameter.name) text += fmt::format("; not with {}", in_code(spelled(&command, other)));
  return text;
}

std::string options_text(const Command& command) {
  std::string text;
  for (const Parameter& each : parameters_of(command)) text += item(heading_of(each), text_of(command, each));
  for (const SettingInfo& each : settings_of(command.settings)) {
    const std::string value = each.type == SettingInfo::Type::flag ? "" : " " + in_code(value_of(each));
    text += item(in_code(flag_name(each.name)) + value, fmt::format("{} (setting {})", help_of(each), in_code(each.name)));
  }
  return text.empty() ? "" : text + "\n";
}

std::string sentence(std::string_view text) {
  return text.empty() || text.ends_with('.') || text.ends_with('?') ? std::string(text) : std::string(text) + ".";
}

std::string section_of(const Command& command) {
  std::string text = fmt::format("### {}\n\n{}\n", command.path, sentence(summary_of(command)));
  if (!command.notes.empty()) text += sentence(command.notes) + "\n";
  text += fmt::format("\n```sh\nholdfast {}\n", usage_of(command));
  for (const Example& each : examples_of(command, "holdfast")) text += fmt::format("{}   # {}\n", each.typed, each.what_for);
  return text + "```\n\n" + options_text(command);
}

constexpr std::string_view kToolsHead = R"(# Tools

Every MCP tool, with its arguments, as `tools/list` shows them with `--tools all`. The program prints this page itself
(`reference tools`), and a test compares it with what the program prints.

)";

// "text", "one of a, b", "list of texts".
std::string type_text(const JsonObject& schema) {
  if (const JsonArray* words = find_array(schema, "enum")) {
    std::vector<std::string> all;
    for (const Json& word : *words) all.push_back(word.is_string() ? std::string(view(word.get_string())) : to_json(word));
    return fmt::format("one of {}", fmt::join(all, ", "));
  }
  const Json* type = find(schema, "type");
  if (!type) return "anything";
  if (type->is_string()) return std::string(view(type->get_string()));
  std::vector<std::string> all;
  for (const Json& each : type->get_array()) all.emplace_back(view(each.as_string()));
  return fmt::format("{}", fmt::join(all, " or "));
}

std::string tool_section(const mcp::Tool& tool) {
  std::string description = tool.description;  // what looks like a link in it is an example of one
  for (std::size_t at = description.find("]("); at != description.npos; at = description.find("](", at + 3))
    description.insert(at + 1, "\\");
  std::string text = fmt::format("## {}\n\n{}\n\n", tool.name, description);
  const JsonObject& schema = tool.input_schema;
  const JsonArray* required = find_array(schema, "required");
  const JsonObject* properties = find_object(schema, "properties");
  if (!properties) return text;
  for (const auto& each : *properties) {
    const std::string name(each.key());
    const JsonObject& of = each.value().get_object();
    std::string about = type_text(of);
    if (required && std::ranges::find(*required, Json(name)) != required->end()) about += ", required";
    if (const Json* fallback = find(of, "default")) about += fmt::format(", default {}", to_json(*fallback));
    const std::string help = text_in(of, "description");
    text += item(in_code(name), help.empty() ? about : fmt::format("{} ({})", help, about));
  }
  return properties->empty() ? text : text + "\n";
}

std::string tools_page(const mcp::Server& server) {
  std::string text(kToolsHead);
  for (const mcp::Tool* tool : server.tools()) text += tool_section(*tool);
  text.pop_back();
  return text;
}

// What a tool can do, each by its name. When its first argument is one of a few words, those are it, whatever it shows.
std::map<std::string, std::string> parts_of(const mcp::Tool& tool) {
  std::map<std::string, std::string> parts = tool.shows;
  const JsonObject* properties = find_object(tool.input_schema, "properties");
  if (properties)
    for (const char* name : {"operation", "action"})
      if (const JsonObject* schema = find_object(*properties, name))
        if (const JsonArray* words = find_array(*schema, "enum"))
          for (const Json& word : *words) parts.try_emplace(std::string(view(word.as_string())));
  if (parts.empty()) parts.try_emplace("");
  return parts;
}

// What each command and tool is a view of, for the check that nothing can be done past the table of operations; null: of no row.
std::string surfaces_page(const mcp::Server& server) {
  const auto row = [](std::string_view name) { return operations::find_operation(name) ? Json(name) : Json(nullptr); };
  JsonObject commands, tools;
  JsonArray rows;
  for (const operations::Operation& each : operations::all()) rows.emplace_back(each.name);
  for (const CommandFamily& family : command_families())
    for (const Command& each : family.commands)
      if (each.run) commands[each.path] = row(each.is_operation ? each.path : each.operation);
  for (const mcp::Tool* tool : server.tools()) {
    for (const auto& [part, name] : parts_of(*tool)) tools[part.empty() ? tool->name : tool->name + " " + part] = row(name);
  }
  return to_json_pretty(
             JsonObject{{"operations", std::move(rows)}, {"commands", std::move(commands)}, {"tools", std::move(tools)}}) +
         "\n";
}

// Over a store that is only there for this: which tools there are depends on no data.
Result<void> print_of_server(Context& context, std::string (*page_of)(const mcp::Server&)) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("holdfast-reference-{}", make_uuid7());
  HF_CHECK(make_private_folder(folder.string()));
  const auto page = [&]() -> Result<std::string> {
    context.flags["store"] = {"sqlite:" + (folder / "store.db").string()};
    context.flags["tools"] = {"all"};
    context.flags["documents.roots"] = {folder.string()};  // without any there are no tools over documents
    HF_TRY(const Context apart, Context::make(context, context.environment));
    HF_TRY(auto store, apart.open_store());
    const session::SharedStore stores(*store);
    PollLoop loop;
    Pool pool;
    HF_TRY(const auto service, McpService::open(apart, stores, loop, pool));
    std::string text = page_of(service->server());
    service->stop();
    pool.close();
    loop.run_ready();
    return text;
  }();
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  if (!page) return fail(page.error());
  print(*page);
  return {};
}

}  // namespace

Result<void> print_reference(Context& context) {
  if (const std::string wanted = context.given.text("page"); wanted != "commands")
    return print_of_server(context, wanted == "tools" ? tools_page : surfaces_page);
  std::string page = std::string(kPageHead) + "## Options of every command\n\n";
  page += options_text(kEveryCommand);
  for (const CommandFamily& family : command_families()) {
    page += fmt::format("## {}\n\n", family.title);
    for (const Command& command : family.commands)
      if (!command.hidden) page += section_of(command);
  }
  page.pop_back();
  print(page);
  return {};
}

}  // namespace holdfast::cli
