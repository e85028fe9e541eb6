#include "store/sqlite/rows/table_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>

namespace holdfast::store {

namespace {

// A leaf of 4 KB has some hundred rows; behind so many numbers the steps become longer.
constexpr std::int64_t kNextRows = 2000;

class RowCopy {
 public:
  RowCopy(Db& source, const std::string& from, Db& target, const std::string& to, std::vector<std::string>& losses)
      : source_(source), from_(from), target_(target), to_(to), losses_(losses) {}

  Result<void> run() {
    HF_TRY(auto rows, source_.query("SELECT name, pk FROM pragma_table_info(?) ORDER BY cid", from_));
    while (true) {
      HF_TRY(const bool more, rows.next());
      if (!more) break;
      columns_.emplace_back(rows.text(0));
      if (rows.integer(1) > 0) keys_.resize(std::max(keys_.size(), static_cast<std::size_t>(rows.integer(1))));
      if (rows.integer(1) > 0) keys_[static_cast<std::size_t>(rows.integer(1) - 1)] = columns_.back();
    }
    HF_TRY(const auto numbered, source_.number("SELECT wr = 0 FROM pragma_table_list(?)", from_));
    HF_CHECK(numbered.value_or(0) != 0 && keys_.size() == 1 ? copy_numbered() : copy_from_both_ends());
    if (refused_ != 0) losses_.push_back(fmt::format("{}: {} rows have values of the wrong kind", from_, refused_));
    return {};
  }

 private:
  enum class End { all, damage };

  std::string select(std::string_view rest) const {
    return fmt::format("SELECT {} FROM {} NOT INDEXED {}", fmt::join(columns_, ", "), from_, rest);
  }

  // Values go over as they are.
  Result<void> insert(const Rows& row) {
    std::string marks;
    for (std::size_t i = 0; i < columns_.size(); ++i) marks += i == 0 ? "?" : ", ?";
    HF_TRY(Rows into,
           target_.prepare(fmt::format("INSERT OR IGNORE INTO {}({}) VALUES({})", to_, fmt::join(columns_, ", "), marks)));
    for (int i = 0; i < static_cast<int>(columns_.size()); ++i) into.bind_as(i + 1, row, i);
    const auto more = into.next();
    if (more || more.error().kind != ErrorKind::conflict) return more ? Result<void>() : fail(more.error());
    ++refused_;  // a value is of another kind than its column
    return {};
  }

  // `on_row` sees what has arrived.
  template <class OnRow>
  Result<End> copy(Result<Rows> rows, const OnRow& on_row) {
    while (rows) {
      const auto more = rows->next();
      if (!more) {
        rows = fail(more.error());
        break;
      }
      if (!*more) return End::all;
      HF_CHECK(insert(*rows));
      on_row(*rows);
    }
    if (rows.error().kind != ErrorKind::corrupt) return fail(std::move(rows).error());
    return End::damage;
  }

  // Numbers lead into the middle of a tree: what is behind a damaged page is found again.
  Result<void> copy_numbered() {
    using Limits = std::numeric_limits<std::int64_t>;
    std::size_t number_column = 0;
    while (columns_[number_column] != keys_[0]) ++number_column;
    const std::string sql = select(fmt::format("WHERE {0} >= ? ORDER BY {0}", keys_[0]));
    std::int64_t from = Limits::min();
    while (true) {
      HF_TRY(const End end,
             copy(source_.query(sql, from), [&](const Rows& row) { from = row.integer(static_cast<int>(number_column)) + 1; }));
      if (end == End::all) return {};
      HF_TRY(const auto next, next_readable(from));
      if (!next) {
        losses_.push_back(from == Limits::min() ? fmt::format("{}: nothing can be read", from_)
                                                : fmt::format("{}: nothing can be read from number {} on", from_, from));
        return {};
      }
      losses_.push_back(fmt::format("{}: numbers {} to {} cannot be read", from_, from, *next - 1));
      from = *next;
    }
  }

  // Whether what has this number, or the next higher one there is, can be read.
  Result<bool> readable(std::int64_t number) {
    auto rows = source_.query(select(fmt::format("WHERE {0} >= ? ORDER BY {0} LIMIT 1", keys_[0])), number);
    const auto found = rows ? rows->next() : Result<bool>(fail(rows.error()));
    if (found) return true;
    if (found.error().kind == ErrorKind::corrupt) return false;
    return fail(found.error());
  }

  Result<std::optional<std::int64_t>> next_readable(std::int64_t from) {
    const std::int64_t first = std::max<std::int64_t>(from, 0);  // numbers are not negative
    for (std::int64_t step = from < 0 ? 0 : 1; step <= kNextRows; ++step) {
      HF_TRY(const bool good, readable(first + step));
      if (good) return first + step;
    }
    for (std::int64_t step = kNextRows; step < std::numeric_limits<std::int64_t>::max() / 4; step *= 2) {
      HF_TRY(const bool good, readable(first + 2 * step));
      if (!good) continue;
      std::int64_t bad = first + step, found = first + 2 * step;
      while (found - bad > 1) {
        const std::int64_t middle = bad + (found - bad) / 2;
        HF_TRY(const bool half, readable(middle));
        (half ? found : bad) = middle;
      }
      return found;
    }
    return std::nullopt;
  }

  Result<void> copy_from_both_ends() {
    const auto ignore = [](const Rows&) {};
    HF_TRY(const End end, copy(source_.query(select(fmt::format("ORDER BY {}", fmt::join(keys_, ", ")))), ignore));
    if (end == End::all) return {};
    HF_CHECK(copy(source_.query(select(fmt::format("ORDER BY {} DESC", fmt::join(keys_, " DESC, ")))), ignore));
    losses_.push_back(fmt::format("{}: some rows cannot be read", from_));
    return {};
  }

  Db& source_;
  const std::string from_;
  Db& target_;
  const std::string to_;
  std::vector<std::string>& losses_;
  std::vector<std::string> columns_, keys_;
  int refused_ = 0;
};

}  // namespace

Result<void> copy_rows(Db& source, const std::string& from, Db& target, const std::string& to, std::vector<std::string>& losses) {
  return RowCopy(source, from, target, to, losses).run();
}

}  // namespace holdfast::store
