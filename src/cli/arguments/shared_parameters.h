#pragma once

// What the commands of several families take. For the files that hold rows alone.

#include "cli/arguments/command.h"
#include "operations/sessions/session_parameters.h"
#include "operations/transcripts/transcript_parameters.h"

#include <array>

namespace holdfast::cli::rows {

using operations::Parameter;
using enum Parameter::Type;

// One word that must be there, and several of them.
constexpr Parameter needed(std::string_view name, std::string_view option, std::string_view help, Parameter::Type type = text) {
  return {.name = name, .type = type, .help = help, .required = true, .may_be_empty = false, .option = option};
}
// One word without a name that may be left out.
constexpr Parameter optional(std::string_view name, std::string_view option, std::string_view help,
                             std::string_view fallback = {}) {
  return {.name = name, .help = help, .fallback = fallback, .may_be_empty = false, .option = option};
}
using operations::joined, operations::kAsOf, operations::kGistToken, operations::kVersion;
inline constexpr Parameter kSession = operations::kRecord;
inline constexpr Parameter kSessions = needed("session", "ID", "ids, or unique starts of them", texts);
inline constexpr Parameter kJustOneSession[] = {kSession};
inline constexpr Parameter kDryRun{"dry_run", flag, "only say what would happen"};
inline constexpr Parameter kYes{"yes", flag, "do it without asking"};

// A number within bounds.
constexpr Parameter bounded(std::string_view name, std::string_view help, std::string_view fallback, std::int64_t least,
                            std::int64_t most = std::numeric_limits<std::int64_t>::max()) {
  return {.name = name, .type = number, .help = help, .fallback = fallback, .least = least, .most = most};
}
// One of a few words.
constexpr Parameter one_of(std::string_view name, std::string_view words, std::string_view help, std::string_view fallback,
                           std::string_view option = {}) {
  return {.name = name, .help = help, .fallback = fallback, .words = words, .option = option};
}
constexpr Parameter limit(std::string_view fallback, std::int64_t most = 1000, std::string_view help = "how many") {
  return bounded("limit", help, fallback, 1, most);
}

}  // namespace holdfast::cli::rows
