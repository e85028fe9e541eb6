#pragma once

// What --help shows below the commands.

namespace holdfast::cli {

inline constexpr const char* kExamples = R"(
Examples:
  claude mcp add holdfast -- holdfast mcp      let Claude Code use it
  holdfast serve                               pages and MCP over HTTP, on this machine
  holdfast sessions list                       what is kept
  holdfast sessions show 0199c2                read one (any unique start of its id)
  holdfast research start "how do retries work?" --corpus ./docs    a cited report, without network or model
  holdfast review                              go through the changes that models propose to your documents
  holdfast run --task "..." --in ./src         let a local model work on it, with the tools of your MCP servers
  holdfast search "CORS preflight"             who said what where, in every session of every kind
  holdfast list --all                          transcripts of Claude Code and Codex on this machine
  holdfast archive 4f2a ./work.json.zst        keep one in a file; restore brings it back
  holdfast export 4f2a                         read one in a browser, or send it: one HTML file
  holdfast --help, holdfast serve --help       more about everything, or about one command

Settings come from flags, then HOLDFAST_* variables, then config.json (docs/configuration.md).)";

inline constexpr const char* kSessionExamples = R"(
Examples:
  claude-session archive 4f2a ./work.json.zst  keep a session in a file
  claude-session restore ./work.json.zst       bring it back, as a copy in this folder
  claude-session clone 4f2a                    a second session with the same history
  claude-session delete 4f2a --force           with a backup; says how to undo it

This is holdfast under another name: `holdfast --help` shows the rest of it.)";

}  // namespace holdfast::cli
