#pragma once

// Arguments of a call as a model writes them (persistent-client §7, steps 3 and 4).

#include "base/json/json.h"
#include "base/result.h"

#include <string_view>

namespace holdfast::runner {

// The text of the call as arguments for the tool: "" and null are {}; numbers and truth values written as texts become what the
// tool's schema wants there, everything else stays. Errors: invalid, in words the model can correct itself by.
Result<JsonObject> read_arguments(std::string_view text, const Json& schema);

}  // namespace holdfast::runner
