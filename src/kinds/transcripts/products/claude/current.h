#pragma once

// Which session is calling (transcript-archive §3.1). Never "the newest file": sessions run in parallel.

#include "kinds/transcripts/home/find.h"

#include <chrono>
#include <functional>
#include <map>

namespace holdfast::transcripts {

// The transcript that holds a certain tool use: the one way to tell which of several running sessions made a call.

class ToolUseSearch {
 public:
  // An empty project_path searches all projects. The home must outlive the search.
  ToolUseSearch(const Home& home, std::string tool_use_id, std::string project_path);

  struct Found {
    FoundSession session;
    std::string agent_id;  // empty: in the main conversation
  };
  // Looks at the ends of the files that were written last; files that have not changed since the last look are passed over.
  Result<std::optional<Found>> look();

 private:
  struct Candidate;
  Result<std::vector<Candidate>> candidates() const;
  Result<void> add_agents(const SessionPlace& place, std::vector<Candidate>& found) const;
  Result<bool> holds_it(const Candidate& candidate) const;

  const Home& home_;
  std::string tool_use_id_, project_path_;
  std::map<std::string, std::uint64_t> seen_;  // path -> size, of files that did not hold it
};

// Is one of the message's content blocks the tool_use of this id? Text that merely quotes the id does not count.
bool has_tool_use(std::string_view line, std::string_view tool_use_id);

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
