#include "store/postgres/rows/read_each.h"

#include "store/postgres/rows/whole_row.h"
#include "store/tables/entry_row.h"

#include <fmt/format.h>

namespace holdfast::store::postgres {

Result<std::vector<session::SessionRecord>> read_each(Connection& connection, const std::vector<std::string>& ids) {
  std::vector<session::SessionRecord> found;
  if (ids.empty()) return found;
  for (const std::string& id : ids) connection.queue(select_whole_row(id));
  HF_TRY(const auto answers, connection.flush());
  for (const Answer& rows : answers)
    if (!rows.empty()) found.push_back(decode_whole_row(rows[0]).record);
  return found;
}

Result<std::vector<session::Entry>> read_each(Connection& connection, const std::vector<session::EntryPlace>& places) {
  static const std::string sql = fmt::format(
      "SELECT {} FROM entries WHERE session = (SELECT s.key FROM sessions AS s WHERE s.id = ?) AND seq = ?", kEntryColumns);
  std::vector<session::Entry> found;
  if (places.empty()) return found;
  for (const session::EntryPlace& place : places) connection.queue(sql, {place.session, place.seq});
  HF_TRY(const auto answers, connection.flush());
  for (std::size_t i = 0; i < places.size(); ++i)
    if (!answers[i].empty()) found.push_back(read_entry(answers[i][0], places[i].session));
  return found;
}

}  // namespace holdfast::store::postgres
