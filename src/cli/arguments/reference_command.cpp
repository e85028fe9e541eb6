// holdfast reference commands: docs/reference/commands.md, made from the table of commands.

#include "cli/arguments/command.h"
#include "cli/program/context.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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
  std::string text = fmt::format("### {}\n\n{}\n", command.path, sentence(command.summary));
  if (!command.notes.empty()) text += sentence(command.notes) + "\n";
  text += fmt::format("\n```sh\nholdfast {}\n", usage_of(command));
  for (const Example& each : examples_of(command, "holdfast")) text += fmt::format("{}   # {}\n", each.typed, each.what_for);
  return text + "```\n\n" + options_text(command);
}

}  // namespace

Result<void> print_reference(Context&) {
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
