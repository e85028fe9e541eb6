#pragma once

// What the commands of several families take. For the files that hold rows alone.

#include "cli/arguments/command.h"
#include "operations/sessions/session_parameters.h"
#include "operations/transcripts/transcript_parameters.h"

#include <algorithm>
#include <array>

namespace holdfast::cli::rows {

using operations::Parameter;
using enum Parameter::Type;

using operations::kAsOf, operations::kGistToken, operations::kVersion;
using operations::needed, operations::optional;
inline constexpr Parameter kSession = operations::kRecord;
inline constexpr Parameter kSessions = needed("session", "ID", "ids, or unique starts of them", texts);
inline constexpr Parameter kJustOneSession[] = {kSession};
inline constexpr Parameter kDryRun{"dry_run", flag, "only say what would happen"};
inline constexpr Parameter kYes{"yes", flag, "do it without asking"};

// Parameters of several arrays, one behind the other.
template <std::size_t... sizes>
constexpr auto joined(const std::array<Parameter, sizes>&... parts) {
  std::array<Parameter, (sizes + ...)> all{};
  auto* to = all.data();
  ((to = std::copy(parts.begin(), parts.end(), to)), ...);
  return all;
}

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
