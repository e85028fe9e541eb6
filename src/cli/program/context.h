#pragma once

// What every command works with, made once from the command line, the environment and config.json.

#include "base/run/clock.h"
#include "cli/arguments/command_line.h"
#include "cli/program/folders.h"
#include "cli/program/settings.h"
#include "cli/program/terminal.h"
#include "session/commit_meter.h"
#include "session/store.h"

#include <memory>

namespace holdfast::cli {

// What one run of the program has: what was typed, and what a command works with.
struct Context : CommandLine {
  Folders folders;
  Settings settings;
  std::shared_ptr<const Clock> clock;
  Terminal terminal;
  Environment environment;
  // What writes to a store that is opened here cost.
  std::shared_ptr<session::CommitMeter> commits = std::make_shared<session::CommitMeter>();

  // Errors: invalid (a setting), not_found or corrupt (clock_file), io.
  static Result<Context> make(CommandLine line, const Environment& environment);

  std::string store_url() const;
  // Opens the store of the settings; the data folder is made when that is where it lives. to_read: nothing is
  // made, and a store that is not there yet is not_found.
  Result<std::unique_ptr<session::Store>> open_store(bool to_read = false) const;
};

}  // namespace holdfast::cli
