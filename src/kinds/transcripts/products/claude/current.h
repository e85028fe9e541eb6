#pragma once

// Which session is calling (transcript-archive §3.1). Never "the newest file": sessions run in parallel.

#include "kinds/transcripts/home/find.h"

#include <chrono>
#include <functional>

namespace holdfast::transcripts {

struct CallerHints {
  std::string tool_use_id;   // _meta["claudecode/toolUseId"]
  std::string environment;   // CLAUDE_CODE_SESSION_ID
  std::string project_path;  // where the caller works; empty: unknown
  // Waits a moment between two looks; false ends the search. The line with the tool use may be written up to a second later.
  std::function<bool(std::chrono::milliseconds)> wait;
};

struct CurrentSession {
  FoundSession session;
  std::string found_by;  // "tool_use_id", "process", "environment"
  std::string agent_id;  // the call came from this subagent; empty: from the main conversation
};

// The ids of all that may be it, there or not: the one with the tool use, else those that the processes above and the environment
// name. None of them is taken away, because a sign that is not believed elsewhere is still right too often.
std::vector<std::string> caller_sessions(const Home& home, const CallerHints& hints);

// Errors: not_found, asking for an explicit id.
Result<CurrentSession> current_session(const Home& home, const CallerHints& hints);

}  // namespace holdfast::transcripts
