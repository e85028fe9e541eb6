#pragma once

// Keeps what a model calls tools with out of places that stay closed (persistent-client §9): a folder that is given to a server
// may contain one that never would be, as the home folder contains keys.
//
// This looks at what a call names. What a tool finds by itself, below a folder that it may use, it finds: roots bind no server,
// and neither does this.

#include "base/json/json.h"
#include "kinds/runner/servers/roots.h"

#include <optional>

namespace holdfast::runner {

// Looks at every text in the arguments that may be a path: absolute, "~", a file:// URI, or relative to one of the roots.
// Refused with code blocked_path: keys and our own data anywhere; places of the system below one of the roots.
std::optional<Error> blocked_argument(const JsonObject& arguments, const RootsSnapshot& roots, const PathRules& rules);

}  // namespace holdfast::runner
