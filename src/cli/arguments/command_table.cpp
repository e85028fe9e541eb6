#include "cli/arguments/shared_parameters.h"
#include "operations/table.h"

#include <fmt/format.h>

#include <cctype>
#include <map>

namespace holdfast::cli {

using operations::Parameter;

namespace {

constexpr Parameter kEverywhere[] = {
    {.name = "json", .type = Parameter::Type::flag, .help = "machine-readable output, errors too"},
    {.name = "verbose", .type = Parameter::Type::flag, .help = "say more: every file, every step", .option = "-v,--verbose"}};

const Parameter* find_anywhere(std::string_view name) {
  for (const CommandFamily& family : command_families())
    for (const Command& command : family.commands)
      if (const Parameter* found = operations::find(parameters_of(command), name)) return found;
  return nullptr;
}

}  // namespace

constexpr Command kEveryCommand{"", "", nullptr, kEverywhere, {}, "store principal clock_file log_level claude_dir codex_dir"};

std::vector<CommandFamily> command_families(Program program) {
  const std::vector<CommandFamily> of_transcripts = {kTranscriptCommands, kGuardCommands, kImportCommands, kSearchCommands};
  if (program != Program::holdfast) return of_transcripts;
  std::vector<CommandFamily> all = {kServing, kSessionCommands, kResearchCommands, kReviewCommands, kRunCommands, kStoreCommands};
  all.insert(all.end(), of_transcripts.begin(), of_transcripts.end());
  return all;
}

std::string_view summary_of(const Command& command) {
  return command.is_operation ? operations::find_operation(command.path)->summary : command.summary;
}

operations::Parameters parameters_of(const Command& command) {
  if (!command.is_operation) return command.parameters;
  static const auto joined = [] {
    std::map<std::string_view, std::vector<Parameter>> all;  // by the path of the command
    for (const CommandFamily& family : command_families())
      for (const Command& each : family.commands) {
        if (!each.is_operation) continue;
        const auto shared = operations::find_operation(each.path)->parameters;
        std::vector<Parameter>& parameters = all[each.path];
        std::ranges::copy_if(shared, std::back_inserter(parameters),
                             [](const Parameter& parameter) { return parameter.type != Parameter::Type::json; });
        parameters.insert(parameters.end(), each.parameters.begin(), each.parameters.end());
      }
    return all;
  }();
  return joined.at(command.path);
}

bool has_no_name(const Parameter& parameter) {
  return !parameter.option.empty() && parameter.option.front() != '-';
}

std::vector<std::string> spellings_of(const Parameter& parameter) {
  std::string with_dashes = "--" + std::string(parameter.name);
  std::ranges::replace(with_dashes, '_', '-');
  if (parameter.type == Parameter::Type::choice) return {with_dashes, "--no-" + with_dashes.substr(2)};
  if (parameter.option.empty()) return {with_dashes};
  std::vector<std::string> all;
  for (std::size_t from = 0; from <= parameter.option.size();) {
    const std::size_t comma = std::min(parameter.option.find(',', from), parameter.option.size());
    all.emplace_back(parameter.option.substr(from, comma - from));
    from = comma + 1;
  }
  return all;
}

std::string_view value_of(const Parameter& parameter) {
  if (!parameter.value.empty()) return parameter.value;
  if (!parameter.words.empty()) return parameter.words;
  return parameter.type == Parameter::Type::number ? "N" : "TEXT";
}

std::string spelled(const Command* command, std::string_view parameter) {
  const Parameter* found = command ? operations::find(parameters_of(*command), parameter) : nullptr;
  if (!found) found = find_anywhere(parameter);
  if (!found) return fmt::format("{{{}}}", parameter);
  const std::vector<std::string> all = spellings_of(*found);
  const auto is_long = [](const std::string& spelling) { return spelling.starts_with("--"); };
  return *(has_no_name(*found) ? all.begin() : std::ranges::find_if(all, is_long));
}

std::string help_of(const Command& command, const Parameter& parameter) {
  const auto spell = [&command](std::string_view name) { return spelled(&command, name); };
  std::string help = operations::in_spelling_of(parameter.help, spell);
  if (!parameter.fallback.empty()) help += fmt::format(" [{}]", operations::in_spelling_of(parameter.fallback, spell));
  return help;
}

std::vector<SettingInfo> settings_of(std::string_view names) {
  std::vector<SettingInfo> found;
  const std::string all = fmt::format(" {} ", names);
  for (const SettingInfo& setting : known_settings())
    if (all.contains(fmt::format(" {} ", setting.name))) found.push_back(setting);
  return found;
}

std::string_view value_of(const SettingInfo& setting) {
  using enum SettingInfo::Type;
  return setting.type == number ? "N" : setting.type == list ? "LIST" : setting.type == folders ? "DIR" : "TEXT";
}

std::string help_of(const SettingInfo& setting) {
  const bool told = !setting.fallback.empty() && setting.type != SettingInfo::Type::flag;
  return std::string(setting.help) + (told ? fmt::format(" [{}]", setting.fallback) : "");
}

std::string usage_of(const Command& command) {
  std::string usage(command.path);
  if (!command.run) return usage + " COMMAND";
  usage += " [OPTIONS]";
  for (const Parameter& each : parameters_of(command)) {
    if (!has_no_name(each)) continue;
    const std::string word = std::string(each.option) + (each.type == Parameter::Type::texts ? "..." : "");
    usage += each.required ? " " + word : fmt::format(" [{}]", word);
  }
  return usage + (operations::find(parameters_of(command), "launch_arguments") ? " [-- WORDS...]" : "");
}

std::vector<Example> examples_of(const Command& command, std::string_view program) {
  std::vector<Example> examples;
  for (std::string_view rest = command.examples; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    const std::size_t gap = line.find("  ");
    examples.push_back({fmt::format("{} {}{}{}", program, command.path, gap == 0 ? "" : " ", line.substr(0, gap)),
                        std::string(line.substr(gap + 2))});
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return examples;
}

Program program_called(std::string_view first_word) {
  if (const std::size_t slash = first_word.rfind('/'); slash != std::string_view::npos) first_word.remove_prefix(slash + 1);
  if (first_word == "claude-session") return Program::claude_session;
  if (first_word == "claude-session-mcp") return Program::claude_session_mcp;
  return Program::holdfast;
}

std::string_view name_of(Program program) {
  switch (program) {
    case Program::claude_session:
      return "claude-session";
    case Program::claude_session_mcp:
      return "claude-session-mcp";
    case Program::holdfast:
      return "holdfast";
  }
  return "holdfast";
}

std::string_view error_prefix(Program program) {
  return program == Program::holdfast ? "holdfast: " : "Error: ";
}

}  // namespace holdfast::cli
