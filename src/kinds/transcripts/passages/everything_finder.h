#pragma once

// The search over transcripts and the store together (finder.h).
//
// Transcripts are searched through the index, sessions of the store through the store. Both understand the same question and
// measure in the same way how well a place fits, so that their answers stand in one order. Blocks; any thread.

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
  Result<void> search_transcripts(const session::FindRequest& request, const std::vector<search::TextClause>& clauses,
                                  std::vector<search::TextHit>& hits, session::FindResult& result);
  // Hits of the store name a session and no source.
  Result<void> search_store(const session::FindRequest& request, std::vector<search::TextHit>& hits, session::FindResult& result);
  Result<search::TextQuery> query_of(const session::FindRequest& request, const std::vector<search::TextClause>& clauses);
  Result<std::function<bool(const search::Source&)>> admitted(const session::FindRequest& request);
  void describe(session::FoundInSession& found, const search::Source& source, const Activity& activity);

  static bool describe_stored(session::FoundInSession& found, const std::string& id, session::Store& store);  // false: it is gone

  const Homes& homes_;
  search::PassageSources& sources_;
  search::TextIndex& index_;
  const Clock& clock_;
};

}  // namespace holdfast::transcripts
