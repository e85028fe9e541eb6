#include "store/postgres/rows/read_tables.h"

#include "session/kinds.h"
#include "session/length_prefix.h"
#include "session/limits.h"
#include "store/tables/condition.h"
#include "store/tables/order.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace holdfast::store::postgres {

using session::Entry;
using session::Position;
using session::Query;

namespace {

// Entries in this order, at most as many as the last mark says. Those behind the first kEntryPageBytes come without text and
// data: memory follows the page, not the longest session.
std::string page_of_entries(std::string_view condition, std::string_view order) {
  return fmt::format(
      "SELECT sequence, seq, type, lane, number, time, author, run, key, previous, hash, salt, mac, "
      "CASE WHEN before < {0} THEN data END, CASE WHEN before < {0} THEN text END, before < {0} FROM "
      "(SELECT {1}, sum(length(text) + length(data)) OVER (ORDER BY {2}) - length(text) - length(data) AS before "
      "FROM entries WHERE {3} ORDER BY {2} LIMIT ?) AS page ORDER BY {2}",
      session::kEntryPageBytes, kEntryColumns, order, condition);
}
bool is_whole(const Row& row) {
  return row.integer(15) != 0;
}

constexpr int kSessionWidth = 33;  // columns of kSessionColumns; the others follow them
constexpr int kTextsChecksum = kSessionWidth + 3, kTallies = kSessionWidth + 4;

// Tallies of one session are few, and come as the bytes of length_prefix.h in one column: a row each would repeat the texts.
constexpr std::string_view kPackedTallies =
    "(SELECT string_agg(int8send(length(lane)) || lane || int8send(length(type)) || type || int8send(count) || "
    "int8send(highest_number) || int8send(last_seq) || int8send(last_time), '') FROM tallies WHERE session = sessions.key)";

// The columns of a row from the one that decode_texts counts as its first.
class TextColumns final : public Columns {
 public:
  explicit TextColumns(const Row& row) : row_(row) {}
  std::int64_t integer(int column) const override { return row_.integer(kSessionWidth + column); }
  std::string_view text(int column) const override { return row_.text(kSessionWidth + column); }
  bool is_null(int column) const override { return row_.is_null(kSessionWidth + column); }

 private:
  const Row& row_;
};

std::string select_where(std::string_view condition) {
  return fmt::format(
      "SELECT {}, description, opening, data, texts_checksum, {} FROM sessions LEFT JOIN (SELECT session, description, opening, "
      "data, checksum AS texts_checksum FROM session_texts) AS texts ON texts.session = sessions.key WHERE {}",
      session_columns(), kPackedTallies, condition);
}

std::int64_t take_integer(std::string_view& bytes) {
  const std::int64_t value = session::get_integer(bytes);
  bytes.remove_prefix(sizeof(value));
  return value;
}

std::string take_string(std::string_view& bytes) {
  const auto size = static_cast<std::size_t>(take_integer(bytes));
  std::string text(bytes.substr(0, size));
  bytes.remove_prefix(size);
  return text;
}

// Whether session_counts (schema.cpp) has all the columns the conditions ask for.
bool is_counted(const Query& query) {
  const bool by_aspect = query.aspect || !query.aspects.empty();
  return query.roots.empty() && query.tags.empty() && !query.project && !query.task && query.text.empty() &&
         !query.updated_since && !query.updated_before && !query.due_before &&
         (!by_aspect || query.kinds == std::vector<std::string>{std::string(session::kThread)});
}

SqlStatement count_all(const Query& query, const Condition& where) {
  return {is_counted(query)
              ? fmt::format("SELECT coalesce(sum(s.sessions), 0)::int8 FROM session_counts AS s WHERE {}", where.sql)
              : fmt::format("SELECT count(*) FROM sessions AS s WHERE {}", where.sql),
          {where.values.begin(), where.values.end()}};
}

Result<std::vector<session::SessionRecord>> load_places(Connection& connection, const std::vector<Place>& places) {
  std::vector<std::int64_t> keys;
  for (const Place& place : places) keys.push_back(place.key);
  HF_TRY(const Answer rows, connection.ask(select_whole_rows(keys)));
  std::map<std::int64_t, session::SessionRecord> found;
  for (int i = 0; i < rows.size(); ++i) {
    SessionRow row = decode_whole_row(rows[i]);
    found.emplace(row.key, std::move(row.record));
  }
  std::vector<session::SessionRecord> records;
  for (const Place& place : places) records.push_back(std::move(found[place.key]));
  return records;
}

}  // namespace

const std::string& session_columns() {
  static const std::string columns = [] {
    std::string all(kSessionColumns);
    constexpr std::string_view kChanged = " changed,";
    return all.replace(all.find(kChanged), kChanged.size(), " 0::int8,");
  }();
  return columns;
}

ReadTables::ReadTables(Connection& connection, std::string_view secret)
    : SqlTables(connection,
                []() -> const SessionStatements& {
                  static const SessionStatements statements(session_columns());
                  return statements;
                }()),
      connection_(connection),
      secret_(secret) {}

Statement select_whole_row(std::string_view id) {
  static const std::string sql = select_where("id = ?");
  return {sql, {id}};
}

Statement select_whole_rows(const std::vector<std::int64_t>& keys) {
  static const std::string sql = select_where("key = ANY(?)");
  return {sql, {Param::numbers(keys)}};
}

void decode_rest(const Row& row, session::SessionRecord& record) {
  if (row.is_null(kTextsChecksum)) {
    add_damage(record, "description and data are missing");
  } else {
    decode_texts(TextColumns(row), record);
  }
  for (std::string_view bytes = row.text(kTallies); !bytes.empty();) {
    session::Tally& tally = record.tallies.emplace_back();
    tally.lane = take_string(bytes);
    tally.type = take_string(bytes);
    tally.count = take_integer(bytes);
    tally.highest_number = take_integer(bytes);
    tally.last_seq = take_integer(bytes);
    tally.last_time = take_integer(bytes);
  }
  std::ranges::sort(record.tallies, {}, [](const session::Tally& each) { return std::tie(each.lane, each.type); });
}

SessionRow decode_whole_row(const Row& row) {
  SessionRow whole = decode_session(row);
  decode_rest(row, whole.record);
  return whole;
}

Result<void> ReadTables::load_rest(SessionRow& row) {
  HF_TRY(const Answer rows, connection_.ask(select_whole_row(row.record.id)));
  if (rows.empty()) return fail(ErrorKind::not_found, fmt::format("there is no session {}", row.record.id));
  decode_rest(rows[0], row.record);
  return {};
}

Result<std::optional<SessionRow>> ReadTables::find_whole_row(std::string_view id) {
  HF_TRY(const Answer rows, connection_.ask(select_whole_row(id)));
  if (rows.empty()) return std::nullopt;
  return decode_whole_row(rows[0]);
}

Result<session::EntryPage> ReadTables::read_entries(const SessionRow& row, const session::EntryQuery& query) {
  const bool forward = query.direction == session::Direction::forward;
  std::string condition = fmt::format("session = ? AND seq {} ?", forward ? ">=" : "<=");
  std::vector<Param> values{row.key, query.from != 0 || forward ? query.from : row.entries};
  if (query.lane) {
    condition += " AND lane = ?";
    values.emplace_back(*query.lane);
  }
  if (!query.types.empty()) {
    condition += fmt::format(" AND type IN {}", marks(query.types.size()));
    values.insert(values.end(), query.types.begin(), query.types.end());
  }
  values.emplace_back(query.limit + 1);
  HF_TRY(const Answer rows, connection_.ask(page_of_entries(condition, forward ? "seq" : "seq DESC"), std::move(values)));
  session::EntryPage page;
  for (int i = 0; i < rows.size(); ++i) {
    if (page.entries.size() >= query.limit || !is_whole(rows[i])) {
      page.next = rows[i].integer(1);
      return page;
    }
    page.entries.push_back(read_entry(rows[i], row.record.id));
  }
  return page;
}

Result<void> ReadTables::each_entry(const SessionRow& row, const OnEntry& on_entry) {
  static const std::string sql = page_of_entries("session = ? AND seq > ?", "seq");
  std::int64_t after = std::numeric_limits<std::int64_t>::min();
  while (true) {
    HF_TRY(const Answer rows, connection_.ask(sql, {row.key, after, session::kMaxEntryLimit}));
    if (rows.empty()) return {};
    for (int i = 0; i < rows.size() && is_whole(rows[i]); ++i) {
      const Entry entry = read_entry(rows[i], row.record.id);
      after = entry.seq;
      on_entry(entry, previous_hash(rows[i]));
    }
  }
}

Result<session::Page> ReadTables::list(const Query& query) {
  const auto find = [&](const std::optional<Position>& after) -> Result<Found> {
    const Condition where = conditions_of(query, kPostgresHasText);
    const std::size_t at = connection_.queue(select_places(query, where, after));
    if (query.count) connection_.queue(count_all(query, where));
    HF_TRY(const auto answers, connection_.flush());
    Found found;
    if (query.count) found.total = answers[at + 1][0].integer(0);
    const std::size_t keys = order_of(query).keys.size();
    for (int i = 0; i < answers[at].size(); ++i) found.places.push_back(read_place(answers[at][i], keys));
    return found;
  };
  return list_page(query, secret_, find, [&](const std::vector<Place>& places) { return load_places(connection_, places); });
}

}  // namespace holdfast::store::postgres
