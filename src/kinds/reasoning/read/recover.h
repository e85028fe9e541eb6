#pragma once

// Finding a session again, with all that is needed to go on (L1-L5).

#include "kinds/reasoning/append.h"

namespace holdfast::reasoning {

inline constexpr std::size_t kAlternatives = 5;
inline constexpr std::int64_t kMaxRecent = 50;

struct BranchState {
  std::string id;
  std::int64_t forks = 0;   // the main-chain thought it begins at
  std::int64_t length = 0;  // thoughts
  std::int64_t last = 0;    // number of its last thought
  bool completed = false;
};
// Of every branch, in the order they were begun. Reads two entries of each.
Result<std::vector<BranchState>> branch_states(session::Reader& reader, const session::SessionRecord& record);

// The word of load_session's error when the project has no session yet.
inline constexpr std::string_view kNoSessions = "no_sessions";

struct LoadRequest {
  std::optional<std::string> session_id;
  std::vector<std::string> tags;  // all of them; without session_id
  std::int64_t recent = 5;        // 0..kMaxRecent
};

struct Loaded {
  session::SessionRecord record;
  bool auto_recovered = false;
  bool root_mismatch = false;
  std::vector<BranchState> branches;
  std::vector<Thought> recent;                       // by creation, branches included, oldest first
  std::vector<session::SessionRecord> alternatives;  // other candidates, best first
  std::int64_t current_number = 0, next_number = 1;  // of the main chain
  std::optional<std::string> damage;
  bool in_use = false;  // another connection has it open, too
  std::string notice;   // why it is not the connection's active session; empty when it is
};

// Makes it the connection's active session, unless the store cannot be written; changes nothing else (L5). Errors (code):
// not_found with up to five suggestions, no_sessions, no_root.
Result<Loaded> load_session(session::Store& store, const LoadRequest& request, const Situation& situation);

// The candidates of L2, best first: pinned, active before closed ones, newest first.
Result<session::Page> recoverable(session::Reader& reader, const Situation& situation, const std::vector<std::string>& tags,
                                  std::size_t limit);

// The last thoughts by creation, oldest first.
Result<std::vector<Thought>> last_thoughts(session::Reader& reader, const std::string& session, std::size_t count);

}  // namespace holdfast::reasoning
