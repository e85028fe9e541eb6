#include "tools/program_starters.h"

#include "kinds/transcripts/remote/archive_place.h"

#include <algorithm>
#include <array>

namespace holdfast::tools {

namespace {

using Arguments = const JsonObject&;

struct ProgramStarter {
  std::string_view tool;
  bool (*when)(Arguments);
};

bool always(Arguments) {
  return true;
}

// Of a gist: gh is asked for the token, git sends and fetches what is large.
constexpr std::array kStarters = {
    ProgramStarter{"autonomous_filesystem_full", always},     // the MCP servers of the configuration and of the project
    ProgramStarter{"autonomous_persistent_session", always},  // the same
    ProgramStarter{"save_session_to_gist", always},
    ProgramStarter{"save_current_session",
                   [](Arguments arguments) { return find_string(arguments, "storage_backend") == "gist"; }},
    ProgramStarter{"restore_session",
                   [](Arguments arguments) { return transcripts::is_gist(find_string(arguments, "archive_path").value_or("")); }},
};

}  // namespace

std::function<bool(Arguments)> starts_programs(std::string_view tool) {
  const auto* const found = std::ranges::find(kStarters, tool, &ProgramStarter::tool);
  if (found == kStarters.end()) return {};
  return found->when;
}

}  // namespace holdfast::tools
