#pragma once

// A session of either product, for commands and tools that take the id of any (design 8.20).

#include "kinds/transcripts/home/summary.h"
#include "kinds/transcripts/products/codex/codex.h"

#include <variant>

namespace holdfast::transcripts {

// What is known without reading the file.
struct AnySession {
  std::variant<FoundSession, CodexSession> found;

  const FoundSession* claude() const { return std::get_if<FoundSession>(&found); }
  const CodexSession* codex() const { return std::get_if<CodexSession>(&found); }
  const std::string& id() const;
  std::string_view product() const { return claude() ? "claude" : "codex"; }
  std::string path() const;  // of the transcript, below its home
  std::uint64_t size() const;
  Millis mtime() const;
};

// One line of a list.
struct SessionLine {
  AnySession session;
  std::string title, custom_title, project_path, version, git_branch;
  Millis first_time = 0, last_time = 0;  // of records; 0: none seen
  bool sidechain = false;                // not a session of its own
};

SessionLine to_line(Summary summary);
SessionLine to_line(CodexSession session);

// The homes of both products.
struct Homes {
  Home claude, codex;

  static Result<Homes> open(const std::string& claude_folder, const std::string& codex_folder);
  const Home& of(const AnySession& session) const { return session.claude() ? claude : codex; }

  // Exactly one of either product; a project narrows it to Claude Code's, whose sessions alone belong to folders. Errors:
  // invalid, not_found, ambiguous, as find_session.
  Result<AnySession> find(std::string_view id_or_prefix, const std::optional<std::string>& project_path = {}) const;

  // Ends of the file only.
  Result<SessionLine> line_of(const AnySession& session) const;

  Result<Inventory> inventory(const AnySession& session) const;
  // Where the session belongs (§1.2): from the ends of the file when they agree with the folder's name, else from all of it.
  // Empty: unknown.
  Result<std::string> project_of(const AnySession& session) const;
};

}  // namespace holdfast::transcripts
