#include "store/sqlite/side_rows.h"

#include <map>
#include <set>

namespace holdfast::store {

using session::LineageEvent;

namespace {

Result<std::vector<LineageEvent>> read_events(Result<Rows> rows) {
  if (!rows) return fail(std::move(rows).error());
  std::vector<LineageEvent> events;
  while (true) {
    HF_TRY(const bool more, rows->next());
    if (!more) return events;
    LineageEvent& event = events.emplace_back();
    event.number = rows->integer(0);
    event.child = rows->text(1);
    event.parent = rows->text(2);
    event.how = rows->text(3);
    event.when = rows->integer(4);
    // Details that cannot be read do not hide that the event took place.
    auto details = parse_json(rows->text(5));
    if (details && details->is_object()) event.details = std::move(details->get_object());
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

Result<std::vector<LineageEvent>> lineage_tree(Db& db, std::string_view session) {
  // Breadth first over both directions. A set of visited ids, because stored history may be circular.
  std::set<std::string, std::less<>> seen{std::string(session)};
  std::vector<std::string> waiting{std::string(session)};
  std::map<std::int64_t, LineageEvent> found;
  while (!waiting.empty() && found.size() < session::kMaxLineageEvents) {
    const std::string id = std::move(waiting.back());
    waiting.pop_back();
    HF_TRY(auto events, lineage_of(db, id));
    for (LineageEvent& event : events) {
      for (const std::string& other : {event.child, event.parent}) {
        if (!other.empty() && seen.insert(other).second) waiting.push_back(other);
      }
      found.try_emplace(event.number, std::move(event));
    }
  }
  std::vector<LineageEvent> events;
  for (auto& [number, event] : found) events.push_back(std::move(event));
  return events;
}

}  // namespace holdfast::store
