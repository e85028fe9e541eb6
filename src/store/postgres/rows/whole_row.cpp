#include "store/postgres/rows/whole_row.h"

#include "session/length_prefix.h"
#include "store/postgres/rows/read_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace holdfast::store::postgres {

namespace {

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

}  // namespace

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

}  // namespace holdfast::store::postgres
