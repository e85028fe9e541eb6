#pragma once

// An index over passages: which blocks of which source may hold what is asked for.
//
// A cache of one machine (design 8.18): immutable segments and a manifest in a folder of its own; it may be thrown away at any
// time and is built again from the sources. It keeps no text. What a source has beyond the indexed part is scanned at query time,
// so a search finds what was written before it began, whatever the state of the index; with an empty index it is a plain scan.
// Answers are exact: every passage reported was verified in its source, and none that matches is left out but by a limit.
//
// One process writes at a time (a lock; others search meanwhile and see each new manifest). Any thread.

#include "search/index/passages.h"
#include "search/query/text_query.h"

#include <chrono>
#include <memory>
#include <stop_token>

namespace holdfast::search {

// An attribute that must be there: its name, and a value that passes. Asked of every value in the index, so it must be quick; any
// thread.
struct AttributeFilter {
  std::string name;  // "file:"
  std::function<bool(std::string_view value)> admits;
};

struct TextQuery {
  std::vector<TextClause> clauses;            // empty: every passage that passes the filters
  std::vector<AttributeFilter> filters;       // all of them
  std::vector<PassageRole> roles;             // empty: any
  std::optional<Millis> since, until;         // of the passage's time; since <= time < until
  std::function<bool(const Source&)> admits;  // which sources; empty: all
  std::size_t limit = 20;                     // passages
  std::size_t per_session = 3;                // of one session; 0: no limit
  // newest: by the time of the passage, as far as it is known without reading everything. best: the newest kRankedBlocks
  // verified blocks, by how often and how closely the words stand in how short a passage, prompts and answers above output.
  enum class Order { best, newest } order = Order::best;
};

struct TextHit {
  Source source;
  std::uint64_t line = 0, line_begin = 0, line_end = 0;
  PassageRole role = PassageRole::user;
  Millis time = 0;
  double score = 0;
  std::string snippet;                                          // around the best place, on one line, cut with "…"
  std::vector<std::pair<std::size_t, std::size_t>> highlights;  // begin and end in the snippet
  std::vector<std::string> attributes;
};

struct Unreadable {
  std::string key;
  std::string reason;
};

struct Division;

struct IndexState {
  std::uint64_t source_bytes = 0, indexed_bytes = 0;  // of sources that exist
  std::uint64_t index_bytes = 0;                      // on the disk
  std::size_t segments = 0, sources = 0;
  bool updating = false;
};

struct TextResult {
  std::vector<TextHit> hits;
  bool more = false;                   // the limit cut something off
  bool more_in_sessions = false;       // the limit per session did
  std::vector<Unreadable> unreadable;  // sources of which some part could not be looked at; they may hold more
  std::size_t sessions_with_hits = 0;  // seen until the limit
  std::size_t blocks_read = 0;
  std::uint64_t bytes_scanned = 0;  // not indexed yet
  IndexState index;                 // as the search saw it
};

class TextIndex {
 public:
  virtual ~TextIndex() = default;

  struct Progress {
    std::uint64_t done = 0, total = 0;  // bytes of sources
  };
  // Brings the index up to date: newest sources first, appended parts only, two threads; then merges small segments and drops
  // the blocks of sources that are gone. Stops between segments
  // when asked to; what is done stays. conflict: another process is at it. A source that cannot be read is left for the next
  // time and does not stop the others.
  virtual Result<void> update(PassageSources& sources, const std::function<void(const Progress&)>& progress = {},
                              std::stop_token stop = {}) = 0;
  virtual Result<TextResult> search(PassageSources& sources, const TextQuery& query) = 0;
  // What of the sources is indexed, for who verifies and orders by himself (places.h). The index is looked at before the sources
  // are listed: what a source has then is not less than the index knows of it.
  virtual Result<std::shared_ptr<const Division>> divide(PassageSources& sources) = 0;
  // Attributes that begin so, of all that is indexed, each once, in order: tools, models, branches, files.
  virtual Result<std::vector<std::string>> attributes(std::string_view prefix, std::size_t limit) = 0;
  // No byte of the blocks that have one of these attributes, but for those that stay, remains in any file of the index when this
  // returns (purge, redaction), nor of sources that are gone. conflict: another process is at it for longer than `patience`.
  struct Erased {
    std::vector<std::string> attributes;
    std::function<bool(std::uint64_t from)> stays;  // asked of a block's beginning
  };
  virtual Result<void> forget(const Erased& erased, std::chrono::milliseconds patience) = 0;
  // Throws everything away; the next update builds it anew. Waits for who is at it, and as long as forget() does.
  virtual Result<void> clear(std::chrono::milliseconds patience = std::chrono::milliseconds::max()) = 0;
  virtual Result<IndexState> state(PassageSources& sources) = 0;
};

}  // namespace holdfast::search
