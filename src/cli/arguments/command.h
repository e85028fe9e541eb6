#pragma once

// What the command line offers, as data: a row for each command. From the rows come the reader (command_line.h), --help, the
// completion of shells and docs/reference/commands.md. The rows of a family stand beside its commands, in *_commands.cpp.

#include "base/result.h"
#include "cli/arguments/program_name.h"
#include "cli/program/settings.h"
#include "operations/parameter.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

struct Context;

struct Command {
  std::string_view path;  // "sessions archive"; what is above it stands in front of it
  std::string_view summary = {};
  // Prints its result to stdout; run.cpp prints its errors. A group of commands has none.
  Result<void> (*run)(Context&) = nullptr;
  operations::Parameters parameters = {};
  // Below its help, a line each: what follows the command's own words, two blanks, and what for.
  std::string_view examples = {};
  std::string_view settings = {};  // those that are options of it, divided by blanks
  std::string_view notes = {};     // below its help
  bool hidden = false;
  // It shows the operation of its name (src/operations): that one says what it does, and its parameters come first.
  bool is_operation = false;
  // It shows this operation, in words and parameters of its own.
  std::string_view operation = {};

  std::string_view name() const { return path.substr(path.rfind(' ') + 1); }
  std::string_view above() const { return path.substr(0, path.size() - std::min(name().size() + 1, path.size())); }
};

struct CommandFamily {
  std::string_view title;
  std::span<const Command> commands;
};
extern const CommandFamily kServing, kSessionCommands, kResearchCommands, kReviewCommands, kRunCommands, kStoreCommands,
    kTranscriptCommands, kGuardCommands, kImportCommands, kSearchCommands;

// As --help lists them. By the name of claude-session, those over transcripts alone.
std::vector<CommandFamily> command_families(Program program = Program::holdfast);

// What every command takes. Its path is empty.
extern const Command kEveryCommand;

constexpr Command of_operation(std::string_view name, Result<void> (*run)(Context&), std::string_view examples,
                               operations::Parameters own = {}) {
  return {.path = name, .run = run, .parameters = own, .examples = examples, .is_operation = true};
}
constexpr Command view_of(std::string_view operation, Command command) {
  command.operation = operation;
  return command;
}
std::string_view summary_of(const Command& command);
// All that it takes. Lives as long as the program.
operations::Parameters parameters_of(const Command& command);

// "-f" and "--format"; of what stands without a name, "ID"; of a choice, its yes and its no.
std::vector<std::string> spellings_of(const operations::Parameter& parameter);
bool has_no_name(const operations::Parameter& parameter);
// What it expects, for --help: "DIR", "json|zst", "N".
std::string_view value_of(const operations::Parameter& parameter);
// How hints of this command call a parameter: "--format". A name that no command knows stays in its braces.
std::string spelled(const Command* command, std::string_view parameter);
// Help of a parameter, and what holds without it: "how many [20]".
std::string help_of(const Command& command, const operations::Parameter& parameter);
// The same of settings, which are named as in Command::settings.
std::vector<SettingInfo> settings_of(std::string_view names);
std::string_view value_of(const SettingInfo& setting);
std::string help_of(const SettingInfo& setting);
// "archive [OPTIONS] [ID] [OUTPUT]"
std::string usage_of(const Command& command);
// The examples of a command, as they are typed: "holdfast archive 4f2a ./work.json.zst", and what for.
struct Example {
  std::string typed, what_for;
};
std::vector<Example> examples_of(const Command& command, std::string_view program);

}  // namespace holdfast::cli
