#pragma once

// Thoughts by number, range, branch, type or relation. Reading never switches the active session and never moves its recency
// (U4).

#include "kinds/reasoning/read/recover.h"
#include "reading/entry_reading.h"

namespace holdfast::reasoning {

// Calls `each` for every thought of the session, in the order they were written; false ends it. Memory is that of a page.
Result<void> each_thought(session::Reader& reader, const std::string& session, const std::function<bool(Thought&&)>& each);

struct ReadRequest {
  std::optional<std::int64_t> number, last;
  std::optional<std::pair<std::int64_t, std::int64_t>> range;
  std::optional<std::string> branch;
  std::string type, confidence;  // filters; empty: any
};
struct ReadAnswer {
  std::vector<Thought> thoughts;
  std::string query;                            // in words: "last 5", "number 7 of branch 'a'"
  std::vector<std::string> available_branches;  // when the one asked for does not exist
  std::optional<std::int64_t> unfiltered;       // how many there were before type and confidence
};
// Without a selector: the last five; with a filter alone: the whole session. At most kMaxRead thoughts.
inline constexpr std::size_t kMaxRead = 1000;
Result<ReadAnswer> read_thoughts(session::Reader& reader, const session::SessionRecord& record, const ReadRequest& request);

struct ThoughtQuery {
  std::string type;
  std::optional<std::int64_t> start, end;
  std::optional<std::int64_t> references;    // text cites S<n>
  std::optional<std::int64_t> revisions_of;  // the original, then all that revise it, directly or through another
};
// Exactly one of the four. Errors: invalid_argument.
Result<std::vector<Thought>> query_thoughts(session::Reader& reader, const session::SessionRecord& record,
                                            const ThoughtQuery& query);

// Does the text cite thought n as S<n>?
bool cites(std::string_view text, std::int64_t number);

// A thought as a person reads it.

// For reading::EntryKinds.
bool turn_of_entry(const session::Entry& entry, const reading::ReadLimits& limits, reading::Turn& turn);

// The shape of a session without its text (get_structure), and what can be measured about it (analyze).

// {sessionId, totalThoughts, mainChain{length,head,tail}, branches{id:{forks,range,length,status}}, branchCount, revisions,
// revisionCount}
Result<JsonObject> structure_of(session::Reader& reader, const session::SessionRecord& record);

// metadata, structure, quality, audit, and the definition of every metric.
Result<JsonObject> analyse(session::Reader& reader, const session::SessionRecord& record, Millis now);

}  // namespace holdfast::reasoning
