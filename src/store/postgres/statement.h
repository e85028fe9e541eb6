#pragma once

// A statement and what is bound to its marks, in PostgreSQL's binary format.
//
// Strings are kept as bytea throughout: text of the database could hold no zero byte and would be sorted and compared by rules
// that differ from machine to machine. Integers are int8.

#include "store/tables/sql.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::store::postgres {

enum class Type : unsigned { bytea = 17, int8 = 20, text = 25, text_array = 1009, int8_array = 1016 };  // the oids

struct Param {
  Type type = Type::bytea;
  std::optional<std::string> bytes;  // nullopt: NULL

  Param(std::int64_t value);                        // NOLINT(google-explicit-constructor): a list of values reads like one
  Param(int value) : Param(std::int64_t{value}) {}  // NOLINT(google-explicit-constructor)
  Param(std::size_t value) : Param(static_cast<std::int64_t>(value)) {}  // NOLINT(google-explicit-constructor)
  Param(std::string value) : bytes(std::move(value)) {}                  // NOLINT(google-explicit-constructor)
  Param(std::string_view value) : bytes(value) {}                        // NOLINT(google-explicit-constructor)
  Param(const char* value) : bytes(value) {}                             // NOLINT(google-explicit-constructor)
  Param(const std::optional<std::int64_t>& value);                       // NOLINT(google-explicit-constructor)
  Param(const SqlValue& value);                                          // NOLINT(google-explicit-constructor)
  // text and text[]: must be valid UTF-8 without a zero byte.
  static Param text(std::string value) { return {Type::text, std::move(value)}; }
  static Param texts(const std::vector<std::string>& items);
  static Param numbers(const std::vector<std::int64_t>& items);
  static Param null_bytes();

 private:
  Param(Type which, std::optional<std::string> what) : type(which), bytes(std::move(what)) {}
};

struct Statement {
  std::string sql;  // with a '?' for each value
  std::vector<Param> values;
};

// As a name in SQL.
std::string quoted_name(std::string_view name);

// The same with $1, $2, ...
std::string numbered_marks(std::string_view sql);

}  // namespace holdfast::store::postgres
