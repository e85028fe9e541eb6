#pragma once

// What both databases are asked in the same words: SQL with a '?' for each value, and the rows that answer.

#include "base/result.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace holdfast::store {

// The columns of one row of a result, whichever database gave it. Views live as long as the row does.
class Columns {
 public:
  virtual std::int64_t integer(int column) const = 0;
  virtual std::string_view text(int column) const = 0;  // NULL is empty
  virtual bool is_null(int column) const = 0;

  std::optional<std::int64_t> optional_integer(int column) const {
    return is_null(column) ? std::nullopt : std::optional(integer(column));
  }

 protected:
  ~Columns() = default;
};

// Marks bytes that are bound as a BLOB where that differs from TEXT; a plain string_view is TEXT.
struct Blob {
  std::string_view bytes;
};

// Marks an array of texts as PostgreSQL's protocol has it; SQLite is never given one.
struct TextArray {
  std::string_view bytes;
};

// A value for a mark. Bytes are a view: they outlive the call.
struct SqlValue {
  enum class Type : std::uint8_t { integer, text, blob, array } type = Type::text;
  bool null = false;
  std::int64_t number = 0;
  std::string_view bytes;

  // NOLINTBEGIN(google-explicit-constructor): a list of values reads like one
  SqlValue(std::int64_t value) : type(Type::integer), number(value) {}
  SqlValue(int value) : SqlValue(std::int64_t{value}) {}
  SqlValue(std::size_t value) : SqlValue(static_cast<std::int64_t>(value)) {}
  SqlValue(std::optional<std::int64_t> value) : type(Type::integer), null(!value), number(value.value_or(0)) {}
  SqlValue(std::string_view value) : bytes(value) {}
  SqlValue(const std::string& value) : bytes(value) {}
  SqlValue(const char* value) : bytes(value) {}
  SqlValue(const std::optional<std::string>& value) : null(!value), bytes(value ? *value : std::string_view()) {}
  SqlValue(Blob value) : type(Type::blob), bytes(value.bytes) {}
  SqlValue(TextArray value) : type(Type::array), bytes(value.bytes) {}
  SqlValue(const std::variant<std::int64_t, std::string>& value)  // those of a Condition
      : SqlValue(std::int64_t{0}) {
    if (const auto* text = std::get_if<std::string>(&value)) {
      *this = SqlValue(*text);
    } else {
      number = std::get<std::int64_t>(value);
    }
  }
  // NOLINTEND(google-explicit-constructor)
  static SqlValue null_of(Type type) {
    SqlValue value(std::int64_t{0});
    value.type = type;
    value.null = true;
    return value;
  }
};
using SqlValues = std::vector<SqlValue>;

struct SqlStatement {
  std::string sql;
  SqlValues values;
};

class SqlWriter {
 public:
  // A statement without rows. It may wait in line until something is asked, or until the commit, which then says how it went.
  virtual Result<void> change(std::string_view sql, const SqlValues& values) = 0;

 protected:
  ~SqlWriter() = default;
};

// One connection. Used by one thread at a time.
class Sql : public SqlWriter {
 public:
  using OnRow = std::function<Result<bool>(const Columns&)>;  // false: no more are wanted
  virtual Result<void> each(std::string_view sql, const SqlValues& values, const OnRow& on_row) = 0;

  // What `decode` makes of the first row.
  template <class T, class Decode>
  Result<std::optional<T>> first(std::string_view sql, const SqlValues& values, const Decode& decode) {
    std::optional<T> found;
    HF_CHECK(each(sql, values, [&](const Columns& row) -> Result<bool> {
      Result<T> one = decode(row);
      if (!one) return fail(std::move(one).error());
      found = *std::move(one);
      return false;
    }));
    return found;
  }
  // And of all of them.
  template <class T, class Decode>
  Result<std::vector<T>> all(std::string_view sql, const SqlValues& values, const Decode& decode) {
    std::vector<T> found;
    HF_CHECK(each(sql, values, [&](const Columns& row) -> Result<bool> {
      Result<T> one = decode(row);
      if (!one) return fail(std::move(one).error());
      found.push_back(*std::move(one));
      return true;
    }));
    return found;
  }

 protected:
  ~Sql() = default;
};

}  // namespace holdfast::store
