#pragma once

// What one call of an operation was given, by the names of its parameters. A surface has read and checked it against the table:
// types and ranges hold, and nothing else is in it.

#include "base/json/json.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::operations {

class Given {
 public:
  Given() = default;
  explicit Given(JsonObject values) : values_(std::move(values)) {}

  bool has(std::string_view name) const { return values_.contains(name); }
  std::string text(std::string_view name) const;  // "" when it was not given
  std::vector<std::string> texts(std::string_view name) const;
  bool flag(std::string_view name, bool fallback = false) const { return find_bool(values_, name).value_or(fallback); }
  std::optional<bool> choice(std::string_view name) const { return find_bool(values_, name); }
  std::optional<std::int64_t> number(std::string_view name) const { return find_int(values_, name); }
  std::int64_t number(std::string_view name, std::int64_t fallback) const { return number(name).value_or(fallback); }

  void set(std::string_view name, Json value) { values_[name] = std::move(value); }
  const JsonObject& values() const { return values_; }

 private:
  JsonObject values_;
};

}  // namespace holdfast::operations
