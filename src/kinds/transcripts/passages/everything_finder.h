#pragma once

// The search over transcripts and the store together (finder.h).
//
// Transcripts are searched through the index, sessions of the store through the store; where both answer, the places of their
// answers are counted: the first of each stands before the second of each. Blocks; any thread.

#include "kinds/transcripts/home/running.h"
#include "kinds/transcripts/passages/passage_sources.h"
#include "session/query/finder.h"
#include "session/store.h"

namespace holdfast::transcripts {

class EverythingFinder final : public session::Finder {
 public:
  // All outlive this.
  EverythingFinder(const Homes& homes, session::PassageSources& sources, session::TextIndex& index, const Clock& clock)
      : homes_(homes), sources_(sources), index_(index), clock_(clock) {}

  Result<session::FindResult> find(const session::FindRequest& request) override;
  Result<std::vector<std::string>> attributes(std::string_view prefix, std::size_t limit) override;
  Result<session::IndexState> index_state() override;

 private:
  Result<void> find_transcripts(const session::FindRequest& request, const std::vector<session::TextClause>& clauses,
                                session::FindResult& result);
  Result<void> find_stored(const session::FindRequest& request, const std::vector<session::TextClause>& clauses,
                           session::FindResult& result);
  session::Query stored_sessions(const session::FindRequest& request, const std::string& root) const;
  // By the store's index of words, or by reading what it has: where parts of words, code or excluded words are asked for.
  Result<std::vector<session::TextHit>> look_up_stored(const session::FindRequest& request, const session::Query& conditions,
                                                       bool& more);
  Result<std::vector<session::TextHit>> scan_stored(const session::FindRequest& request, const session::Query& conditions,
                                                    const std::vector<session::TextClause>& clauses, bool& more);
  Result<session::TextQuery> query_of(const session::FindRequest& request, const std::vector<session::TextClause>& clauses);
  Result<std::function<bool(const session::Source&)>> admitted(const session::FindRequest& request);
  void describe(session::FoundInSession& found, const session::Source& source, const Activity& activity);

  const Homes& homes_;
  session::PassageSources& sources_;
  session::TextIndex& index_;
  const Clock& clock_;
};

}  // namespace holdfast::transcripts
