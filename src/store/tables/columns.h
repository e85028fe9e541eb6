#pragma once

// The columns of one row of a result, whichever database gave it. Views live as long as the row does.

#include <cstdint>
#include <optional>
#include <string_view>

namespace holdfast::store {

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

}  // namespace holdfast::store
