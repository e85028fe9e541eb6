#pragma once

// The guard as a service of the user's systemd, and as a hook of Claude Code.

#include "cli/program/context.h"

namespace holdfast::cli {

// Writes $XDG_CONFIG_HOME/systemd/user/holdfast-guard.service and starts it. Without systemd the unit is written all the same,
// and what is left to do is said. Errors: io.
Result<void> install_guard(Context& context);
Result<void> uninstall_guard(Context& context);

// Prints what to add to settings.json. That file is the person's own, often a link into their dotfiles, and holdfast never writes
// to a client's settings (transcript-archive §1.3).
Result<void> print_guard_hook(Context& context);

// The unit's text.
std::string guard_unit(const std::string& program, const std::vector<std::pair<std::string, std::string>>& environment);

}  // namespace holdfast::cli
