#pragma once

// The part of a search that looks into records: title, description and tags.
//
// They are wanted newest first by updated_at, which the index knows nothing of, because every append moves it. So the records
// that the index names are collected and sorted. When there are many, some sessions are looked at along the order itself, where
// the first records with a frequent word are near; when those do not suffice, the index is asked for more, and so on in turns
// that grow. Either way takes at most a few times as long as the better one alone. Records changed since the index was fed are
// read. Each is compared as it is stored, so that the answer is that of reading all of them.
//
// For one search, on the thread of its connection.

#include "search/index/places.h"
#include "search/index/text_search.h"
#include "session/query/search.h"
#include "store/sqlite/db.h"
#include "store/sqlite/lists/bucket_walk.h"
#include "store/tables/condition.h"

#include <functional>

namespace holdfast::store {

// How many records are collected, and sessions looked at, in the first turn; either takes some microseconds.
inline constexpr std::size_t kFirstTurn = 64;

struct RecordQuestion {
  const session::SearchQuery& query;
  search::TextSearch& words;
  const Condition& where;                            // what `query` asks of sessions, as SQL
  std::shared_ptr<const search::Division> division;  // what is indexed (store_index.h); of a search in one session not asked for
  std::size_t first_turn = kFirstTurn;
};

struct FoundRecord {
  std::int64_t session = 0;  // its key
  Millis updated_at = 0;
  std::string text;
};

class RecordSearch {
 public:
  using OnRecord = std::function<Result<bool>(const FoundRecord&)>;

  RecordSearch(Db& db, const RecordQuestion& question) : db_(db), question_(question) {}

  // Calls on_record with every record that has the words, of the sessions asked for, newest first, until it returns false.
  Result<void> run(const OnRecord& on_record);
  // The record of this session alone, whatever else is asked of sessions.
  Result<void> run(std::int64_t session, const OnRecord& on_record);

  // What was read because the index did not cover it, in bytes of text.
  std::size_t scanned_bytes() const { return scanned_bytes_; }

 private:
  struct Candidate {
    std::int64_t session = 0;
    Millis updated_at = 0;
    std::string id;
  };
  using Range = search::Places::Range;

  Result<void> look_up(const std::vector<Range>& ranges);
  Result<void> take_candidates(const OnRecord& on_record);
  Result<void> prepare_walk();
  Result<bool> walk(std::size_t sessions, const OnRecord& on_record);  // false: that was all that is wanted, or there
  Result<void> scan_in_order(const OnRecord& on_record);
  Result<bool> consider(std::int64_t session, const OnRecord& on_record);

  Db& db_;
  const RecordQuestion& question_;
  std::vector<Candidate> candidates_;
  session::Query along_;  // the list that a walk goes along
  std::optional<Selection> selection_;
  std::optional<session::Position> walked_;  // where it has come to
  std::size_t scanned_bytes_ = 0;
};

}  // namespace holdfast::store
