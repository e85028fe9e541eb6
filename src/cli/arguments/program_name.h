#pragma once

// holdfast also answers to the names of the programs it replaces (design §4): as claude-session it offers the commands over
// transcripts alone and begins errors as that program did; as claude-session-mcp without arguments it is an MCP server with the
// tools over transcripts, and with arguments it is claude-session.

#include <string_view>

namespace holdfast::cli {

enum class Program { holdfast, claude_session, claude_session_mcp };

Program program_called(std::string_view first_word);  // argv[0]
// As --help and hints call it.
std::string_view name_of(Program program);
// In front of an error's message.
std::string_view error_prefix(Program program);

}  // namespace holdfast::cli
