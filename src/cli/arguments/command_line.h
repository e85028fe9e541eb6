#pragma once

// The command line as values. Only command_line.cpp knows the library that reads it.

#include "cli/arguments/command.h"
#include "operations/parameter.h"

#include <variant>

namespace holdfast::cli {

struct CommandLine {
  const Command* command = nullptr;
  operations::Given given;  // by the names of the command's parameters
  bool json = false;
  bool verbose = false;
  Flags flags;  // settings given as flags
};

// --help and --version: print this and end well.
struct Printed {
  std::string text;
};

// The first word is what the program was called as. Errors: invalid, with the command whose --help explains it in the hint.
Result<std::variant<CommandLine, Printed>> read_command_line(int count, const char* const* words);

}  // namespace holdfast::cli
