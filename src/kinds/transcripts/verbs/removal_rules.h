#pragma once

// What must hold before a session may be taken from where it is (transcript-archive §2, §8.7, §15): the same for delete and move.

#include "kinds/transcripts/home/running.h"
#include "kinds/transcripts/verbs/erase.h"

#include <optional>
#include <span>
#include <string>

namespace holdfast::transcripts {

struct RemovalRules {
  std::string_view verb;  // "delete", "move": for messages
  bool force = false, made_by_us = false, terminate = false, dry_run = false;
  std::span<const std::string> caller_sessions;
  std::optional<Millis> written_by_us = {};  // as EraseOptions
  bool clients_are_known = true;             // Codex keeps no list of those that run, so nobody can be ended
};

struct RemovalCheck {
  bool was_running = false, was_terminated = false;
  std::vector<std::string> warnings;
};

// Ends the clients that use the session when the rules say so, except in a dry run. Errors: refused (the caller's own; native
// without force; running), those of terminate().
// `path`: of its transcript, below the home.
Result<RemovalCheck> check_removal(const Home& home, const std::string& session_id, const std::string& path,
                                   const RemovalRules& rules, Millis now);

}  // namespace holdfast::transcripts
