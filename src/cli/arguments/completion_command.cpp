// holdfast completion bash|zsh|fish: a script made from the same description that --help is made from.

#include "cli/arguments/commands.h"

#include <fmt/format.h>

#include <functional>

namespace holdfast::cli {

namespace {

// Calls visit for the program and every command below it, with the words that lead there.
void walk(const CommandHelp& command, const std::string& path,
          const std::function<void(const CommandHelp&, const std::string& path)>& visit) {
  visit(command, path);
  for (const CommandHelp& each : command.commands) walk(each, path + (path.empty() ? "" : " ") + each.name, visit);
}

std::string completions_of(const CommandHelp& command, const CommandHelp& program) {
  std::string words;
  for (const CommandHelp& each : command.commands) words += each.name + " ";
  for (const auto& option : command.options) words += option.name + " ";
  if (&command != &program)
    for (const auto& option : program.options)
      if (option.name != "--version" && option.name != "--help") words += option.name + " ";
  if (command.name == "completion") words += "bash zsh fish ";
  if (!words.empty()) words.pop_back();
  return words;
}

// bash and zsh (through its bashcompinit): the command words so far choose what may follow.
std::string bash_script(const CommandHelp& program) {
  std::string cases;
  walk(program, {}, [&](const CommandHelp& command, const std::string& path) {
    cases += fmt::format("    \"{}\") words=\"{}\" ;;\n", path, completions_of(command, program));
  });
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

std::string fish_script(const CommandHelp& program) {
  std::string out = "complete -c holdfast -f\n";
  walk(program, {}, [&](const CommandHelp& command, const std::string& path) {
    std::string when = "__fish_use_subcommand";
    if (!path.empty()) {
      when.clear();
      for (std::size_t from = 0; from <= path.size();) {
        const std::size_t blank = std::min(path.find(' ', from), path.size());
        when += fmt::format("{}__fish_seen_subcommand_from {}", when.empty() ? "" : "; and ", path.substr(from, blank - from));
        from = blank + 1;
      }
    }
    for (const CommandHelp& each : command.commands)
      out += fmt::format("complete -c holdfast -n {} -a {} -d {}\n", fish_quoted(when), each.name, fish_quoted(each.help));
    for (const auto& option : command.options)
      out += fmt::format("complete -c holdfast{} -l {}{} -d {}\n", path.empty() ? "" : " -n " + fish_quoted(when),
                         option.name.substr(2), option.takes_value ? " -r" : "", fish_quoted(option.help));
  });
  return out + "complete -c holdfast -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'\n";
}

}  // namespace

Result<void> print_completion(Context& context) {
  const std::string& shell = context.line.name;
  const CommandHelp program = describe_command_line();
  if (shell == "bash")
    print(bash_script(program));
  else if (shell == "zsh")
    print("autoload -U +X bashcompinit && bashcompinit\n" + bash_script(program));
  else if (shell == "fish")
    print(fish_script(program));
  else
    return fail(ErrorKind::invalid, fmt::format("no completion is known for {}", shell), "use bash, zsh or fish");
  return {};
}

}  // namespace holdfast::cli
