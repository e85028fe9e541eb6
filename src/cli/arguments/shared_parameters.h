#pragma once

// What the commands of several families take. For the files that hold rows alone.

#include "cli/arguments/command.h"
#include "operations/sessions/session_parameters.h"
#include "operations/transcripts/transcript_parameters.h"

namespace holdfast::cli::rows {

using operations::Parameter;
using enum Parameter::Type;
using operations::bounded, operations::joined, operations::needed, operations::one_of;

using operations::optional;
inline constexpr Parameter kSession = operations::kRecord;
inline constexpr Parameter kSessions = needed("session", "ID", "ids, or unique starts of them", texts);
inline constexpr Parameter kJustOneSession[] = {kSession};
inline constexpr Parameter kDryRun{"dry_run", flag, "only say what would happen"};
inline constexpr Parameter kYes{"yes", flag, "do it without asking"};

constexpr Parameter limit(std::string_view fallback, std::int64_t most = 1000, std::string_view help = "how many") {
  return bounded("limit", help, fallback, 1, most);
}

}  // namespace holdfast::cli::rows
