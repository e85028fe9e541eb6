#include "store/sqlite/rows/side_rows.h"
#include "store/tables/side_row.h"

namespace holdfast::store {

using session::LineageEvent;

namespace {

Result<std::vector<LineageEvent>> read_events(Result<Rows> rows) {
  if (!rows) return fail(std::move(rows).error());
  std::vector<LineageEvent> events;
  while (true) {
    HF_TRY(const bool more, rows->next());
    if (!more) return events;
    events.push_back(decode_lineage(*rows));
  }
}

}  // namespace

Result<LineageEvent> insert_lineage(Db& db, LineageEvent event) {
  HF_TRY(auto rows, db.query("INSERT INTO lineage(child, parent, how, time, details) VALUES(?, ?, ?, ?, ?) RETURNING number"));
  const std::string details = to_json(event.details);
  rows.bind(1, event.child);
  rows.bind(2, event.parent);
  rows.bind(3, event.how);
  rows.bind(4, event.when);
  rows.bind(5, details);
  while (true) {
    HF_TRY(const bool more, rows.next());
    if (!more) return event;
    event.number = rows.integer(0);
  }
}

Result<std::vector<LineageEvent>> lineage_of(Db& db, std::string_view session) {
  return read_events(
      db.query("SELECT number, child, parent, how, time, details FROM lineage WHERE child = ?1 OR parent = ?1 "
               "ORDER BY number LIMIT ?2",
               session, session::kMaxLineageEvents));
}

}  // namespace holdfast::store
