#include "cli/arguments/program_name.h"

namespace holdfast::cli {

Program program_called(std::string_view first_word) {
  if (const std::size_t slash = first_word.rfind('/'); slash != std::string_view::npos) first_word.remove_prefix(slash + 1);
  if (first_word == "claude-session") return Program::claude_session;
  if (first_word == "claude-session-mcp") return Program::claude_session_mcp;
  return Program::holdfast;
}

std::string_view name_of(Program program) {
  switch (program) {
    case Program::claude_session:
      return "claude-session";
    case Program::claude_session_mcp:
      return "claude-session-mcp";
    case Program::holdfast:
      return "holdfast";
  }
  return "holdfast";
}

std::string_view error_prefix(Program program) {
  return program == Program::holdfast ? "holdfast: " : "Error: ";
}

}  // namespace holdfast::cli
