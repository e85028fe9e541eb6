#pragma once

// The settings that say how long things are kept and how deleting is confirmed (docs/lifecycle.md), as the rooms want them.

#include "cli/program/settings.h"
#include "session/life/retention.h"
#include "tools/session/confirmation.h"

namespace holdfast::cli {

session::RetentionPolicy retention_policy(const Settings& settings);
// Errors: invalid (gate.fallback is neither token nor refuse).
Result<tools::GateSettings> gate_settings(const Settings& settings);

}  // namespace holdfast::cli
