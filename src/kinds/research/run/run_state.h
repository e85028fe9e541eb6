#pragma once

// Everything a run knows, rebuilt from its entries (threads-and-research §12).
//
// Read once when a worker begins and kept up to date by handing it the very entries that were committed: loading and going on
// take the same path, so a resumed run cannot see anything else than the one that was interrupted. Not thread-safe; a worker
// guards its own (journal.h).

#include "kinds/research/engine/evidence.h"
#include "session/store.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::research {

// A piece of work that is done wholly or not at all.
struct Unit {
  std::int64_t iteration = 1;
  std::string phase;  // planning, gathering, analysis, synthesis, refinement
  std::string name;   // "plan", "search/subq-…/1/local", "fetch/<hash>", "analyse/7", "synthesise", "refine"

  std::string key() const;
};

// In the mark of a gathering that failed: none of its units counts as done (NO_SOURCES).
inline constexpr std::string_view kGatherAgain = "again";

struct RunState {
  std::string brief;
  std::vector<std::string> assumptions;
  std::map<std::int64_t, std::vector<SubQuery>> questions;  // by iteration, in the order they are worked on
  std::vector<Source> sources;                              // by citation number
  std::vector<Finding> findings;
  std::vector<Gap> gaps;
  std::vector<Contradiction> contradictions;
  std::vector<StoredReport> reports;        // drafts; the last one counts
  std::map<std::string, JsonObject> units;  // done, by key, with what their mark says
  std::int64_t gathered_anew = 0;           // how often what had been gathered, which was nothing, was declared undone
  std::vector<std::int64_t> damaged;        // entries that do not fit their hash; nothing of them is above
  std::size_t redactions = 0;               // another number when content was taken out of another entry, or more of one

  void add(const session::Entry& entry);

  bool is_done(const Unit& unit) const { return units.contains(unit.key()); }
  const JsonObject* mark(const Unit& unit) const;
  std::int64_t iteration() const;  // the newest that has questions; 1 before there are any
  const Source* source(std::string_view id) const;
  // The source this would be a second copy of: the same canonical URI, or the same long title.
  const Source* same_as(std::string_view uri, std::string_view title) const;
  bool has_open_gaps() const;

 private:
  std::map<std::string, std::size_t, std::less<>> by_id_, by_uri_, by_title_;
  void add_source(Source source);
  void add_mark(const JsonObject& data);
};

Result<RunState> read_state(session::Reader& reader, std::string_view session);

// Lower case, no punctuation, single blanks; empty when it is too short to tell two sources apart.
std::string comparable_title(std::string_view title);
// Scheme and host in lower case, no fragment of a web page, no default port, no trailing slash, no tracking parameters.
std::string canonical_uri(std::string_view uri);

}  // namespace holdfast::research
