#pragma once

// The transcript that holds a certain tool use: the one way to tell which of several running sessions made a call.

#include "kinds/transcripts/home/find.h"

#include <map>

namespace holdfast::transcripts {

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

}  // namespace holdfast::transcripts
