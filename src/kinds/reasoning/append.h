#pragma once

// One thought into the ledger: which session it belongs to (A1-A4), which number it gets (T1-T4), whether its branch and revision
// hold (T5-T7), and what happens when it is the last (T8). All of it in one transaction: what is refused has changed nothing, and
// two writers never get one number.

#include "kinds/reasoning/connections.h"
#include "kinds/reasoning/manifest.h"
#include "kinds/reasoning/thought.h"

namespace holdfast::reasoning {

inline constexpr std::size_t kMaxThoughtBytes = 1024 * 1024;
inline constexpr std::int64_t kMaxThoughtNumber = 1'000'000;  // beyond it lies a mistake that would poison every later number
inline constexpr std::size_t kMaxBranchId = 128;              // characters

struct ThoughtRequest {
  std::string text;
  std::string type = "reasoning";
  JsonObject payload;  // read_payload
  std::optional<std::string> session_id;
  bool new_session = false;
  bool next_needed = true;
  std::optional<std::int64_t> number, total;
  std::optional<bool> is_revision;
  std::optional<std::int64_t> revises;
  std::optional<std::string> branch;
  std::optional<std::int64_t> branch_from;
  std::optional<std::string> session_title;
  std::vector<std::string> session_tags;
  std::optional<bool> needs_more;
  std::string agent_id, agent_name;
  std::string idempotency_key;
};

enum class Attached { current, handle, recovered, fresh };
std::string_view name_of(Attached attached);  // "current", "handle", "recovered", "new"

struct AppendOutcome {
  Thought thought;
  session::SessionRecord record;  // afterwards
  Attached attached = Attached::current;
  bool replayed = false;
  std::optional<std::int64_t> requested_number;
  struct Recovered {
    std::int64_t thought_count = 0;
    std::int64_t age_seconds = 0;
  };
  std::optional<Recovered> recovered;
  std::string previous_session;
  bool reopened = false;
  bool closed = false;  // the session
  bool branch_completed = false;
  std::optional<JsonObject> manifest;  // of a closed session, durably stored
  std::vector<std::string> notices;
};

// Errors (code): invalid_argument, not_found, ambiguous, refused, branch_origin_required, branch_id_required,
// branch_origin_missing, branch_origin_mismatch, revision_target_required, revision_target_missing, storage_failed.
Result<AppendOutcome> append_thought(session::Store& store, const ThoughtRequest& request, const Situation& situation);
// The same, but no session is looked for in the project, and none is begun: nullopt, and nothing was done, when none is named or
// open on this connection. What is stored about the connection need not be in the situation.
Result<std::optional<AppendOutcome>> append_if_open(session::Store& store, const ThoughtRequest& request,
                                                    const Situation& situation);

// The sizes and shapes that need no store.
Result<void> check_request(const ThoughtRequest& request);

// Thoughts on the main chain, in all, and branches: from the record's tallies (S3).
std::int64_t thought_count(const session::SessionRecord& record);
std::int64_t total_count(const session::SessionRecord& record);
// Of its last entry, also one that is no thought; 0: it has none.
std::int64_t last_seq(const session::SessionRecord& record);
std::vector<std::string> branches_of(const session::SessionRecord& record);

}  // namespace holdfast::reasoning
