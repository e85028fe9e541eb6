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
  EverythingFinder(const Homes& homes, search::PassageSources& sources, search::TextIndex& index, const Clock& clock)
      : homes_(homes), sources_(sources), index_(index), clock_(clock) {}

  Result<session::FindResult> find(const session::FindRequest& request) override;
  Result<std::vector<std::string>> attributes(std::string_view prefix, std::size_t limit) override;
  Result<search::IndexState> index_state() override;

 private:
  Result<void> find_transcripts(const session::FindRequest& request, const std::vector<search::TextClause>& clauses,
                                session::FindResult& result);
  Result<void> find_stored(const session::FindRequest& request, const std::vector<search::TextClause>& clauses,
                           session::FindResult& result);
  session::Query stored_sessions(const session::FindRequest& request, const std::string& root) const;
  // By the store's index of words, or by reading what it has: where parts of words, code or excluded words are asked for.
  Result<std::vector<search::TextHit>> look_up_stored(const session::FindRequest& request, const session::Query& conditions,
                                                      bool& more);
  Result<std::vector<search::TextHit>> scan_stored(const session::FindRequest& request, const session::Query& conditions,
                                                   const std::vector<search::TextClause>& clauses, bool& more);
  Result<search::TextQuery> query_of(const session::FindRequest& request, const std::vector<search::TextClause>& clauses);
  Result<std::function<bool(const search::Source&)>> admitted(const session::FindRequest& request);
  void describe(session::FoundInSession& found, const search::Source& source, const Activity& activity);

  const Homes& homes_;
  search::PassageSources& sources_;
  search::TextIndex& index_;
  const Clock& clock_;
};

}  // namespace holdfast::transcripts
