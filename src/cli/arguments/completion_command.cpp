// holdfast completion bash|zsh|fish: a script made from the table of commands.

#include "cli/arguments/command.h"
#include "cli/program/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace holdfast::cli {

namespace {

using operations::Parameter;

struct Option {
  std::string name, help;  // "--port"
  bool takes_value;
};

// The long names alone.
std::vector<Option> options_of(const Command& command) {
  std::vector<Option> options;
  for (const Parameter& each : parameters_of(command)) {
    const bool takes_value = each.type != Parameter::Type::choice && each.type != Parameter::Type::flag;
    for (const std::string& name : spellings_of(each))
      if (name.starts_with("--") && name.size() > 2) options.push_back({name, help_of(command, each), takes_value});
  }
  for (const SettingInfo& each : settings_of(command.settings))
    options.push_back({flag_name(each.name), help_of(each), each.type != SettingInfo::Type::flag});
  return options;
}

// In front of them the program itself.
std::vector<Command> shown_commands() {
  std::vector<Command> all = {kEveryCommand};
  for (const CommandFamily& family : command_families())
    std::ranges::remove_copy_if(family.commands, std::back_inserter(all), &Command::hidden);
  return all;
}

// The words of what stands without a name, and the commands below one.
std::vector<std::string_view> words_behind(const Command& command, const std::vector<Command>& all) {
  std::vector<std::string_view> words;
  for (const Command& each : all)
    if (!each.path.empty() && each.above() == command.path) words.push_back(each.name());
  for (const Parameter& each : parameters_of(command))
    if (has_no_name(each)) std::ranges::copy(operations::words_of(each), std::back_inserter(words));
  return words;
}

std::string completions_of(const Command& command, const std::vector<Command>& all) {
  std::string words;
  for (const std::string_view word : words_behind(command, all)) words += std::string(word) + " ";
  for (const Option& each : options_of(command)) words += each.name + " ";
  if (command.path.empty()) return words + "--help --version";
  for (const Option& each : options_of(kEveryCommand)) words += each.name + " ";
  return words + "--help";
}

// bash and zsh (through its bashcompinit): the command words so far choose what may follow.
std::string bash_script(const std::vector<Command>& all) {
  std::string cases;
  for (const Command& each : all) cases += fmt::format("    \"{}\") words=\"{}\" ;;\n", each.path, completions_of(each, all));
  return fmt::format(R"(_holdfast() {{
  local path="" word words=""
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case $word in -*) ;; *) [[ $path$word =~ ^[a-z\ ]+$ ]] && path="${{path:+$path }}$word" ;; esac
  done
  case $path in
{}  esac
  COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -F _holdfast holdfast
)",
                     cases);
}

std::string fish_quoted(std::string_view text) {
  std::string out = "'";
  for (char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string fish_script(const std::vector<Command>& all) {
  std::string out = "complete -c holdfast -f\n";
  for (const Command& command : all) {
    std::string when = command.path.empty() ? "__fish_use_subcommand" : "";
    for (std::size_t from = 0; from < command.path.size();) {
      const std::size_t blank = std::min(command.path.find(' ', from), command.path.size());
      when +=
          fmt::format("{}__fish_seen_subcommand_from {}", when.empty() ? "" : "; and ", command.path.substr(from, blank - from));
      from = blank + 1;
    }
    const std::string where = " -n " + fish_quoted(when);
    for (const Option& each : options_of(command))
      out += fmt::format("complete -c holdfast{} -l {}{} -d {}\n", command.path.empty() ? "" : where, each.name.substr(2),
                         each.takes_value ? " -r" : "", fish_quoted(each.help));
    for (const std::string_view word : words_behind(command, all)) {
      const auto below = std::ranges::find_if(
          all, [&](const Command& each) { return !each.path.empty() && each.above() == command.path && each.name() == word; });
      const std::string help = below == all.end() ? "" : " -d " + fish_quoted(std::string(summary_of(*below)));
      out += fmt::format("complete -c holdfast{} -a {}{}\n", where, word, help);
    }
  }
  return out;
}

}  // namespace

Result<void> print_completion(Context& context) {
  const std::string shell = context.given.text("shell");
  const std::vector<Command> all = shown_commands();
  if (shell == "fish")
    print(fish_script(all));
  else
    print((shell == "zsh" ? "autoload -U +X bashcompinit && bashcompinit\n" : "") + bash_script(all));
  return {};
}

}  // namespace holdfast::cli
