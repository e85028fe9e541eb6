#include "store/sqlite/rows/event_rows.h"

namespace holdfast::store {

using session::Event;
using session::EventType;

Result<std::int64_t> read_last_sequence(Db& db) {
  HF_TRY(const auto last,
         db.number("SELECT max(ifnull((SELECT max(sequence) FROM entries), 0), ifnull((SELECT max(changed) FROM sessions), 0), "
                   "ifnull((SELECT max(changed) FROM tombstones), 0))"));
  return last.value_or(0);
}

Result<std::vector<Event>> read_events_after(Db& db, std::int64_t sequence, std::size_t limit) {
  return db.all<Event>(
      "SELECT e.sequence, 0, s.id, s.kind, e.seq, s.rev FROM entries AS e JOIN sessions AS s ON s.key = e.session "
      "WHERE e.sequence > ?1 "
      "UNION ALL SELECT changed, 1, id, kind, 0, rev FROM sessions WHERE changed > ?1 "
      "UNION ALL SELECT changed, 2, id, kind, 0, 0 FROM tombstones WHERE changed > ?1 "
      "ORDER BY 1 LIMIT ?2",
      {sequence, limit}, [](const Columns& row) {
        return Event{row.integer(0),           static_cast<EventType>(row.integer(1)),
                     std::string(row.text(2)), std::string(row.text(3)),
                     row.integer(4),           row.integer(5)};
      });
}

}  // namespace holdfast::store
