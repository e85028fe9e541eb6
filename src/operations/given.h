#pragma once

// What one call of an operation was given, by the names of its parameters. A surface has read and checked it against the table:
// types and ranges hold, and nothing else is in it.

#include "base/json/json.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast {

// A list of texts, or one text alone; what is neither is passed over.
std::vector<std::string> texts_in(const JsonObject& object, std::string_view name);

}  // namespace holdfast

namespace holdfast::operations {

class Given {
 public:
  Given() = default;
  explicit Given(JsonObject values) : values_(std::move(values)) {}

  bool has(std::string_view name) const { return values_.contains(name); }
  std::string text(std::string_view name) const { return text_in(values_, name); }  // "" when it was not given
  std::vector<std::string> texts(std::string_view name) const { return texts_in(values_, name); }
  bool flag(std::string_view name, bool fallback = false) const { return find_bool(values_, name).value_or(fallback); }
  std::optional<bool> choice(std::string_view name) const { return find_bool(values_, name); }
  std::optional<std::int64_t> number(std::string_view name) const { return find_int(values_, name); }
  std::int64_t number(std::string_view name, std::int64_t fallback) const { return number(name).value_or(fallback); }

  void set(std::string_view name, Json value) { values_[name] = std::move(value); }
  void remove(std::string_view name) { values_.erase(name); }
  const JsonObject& values() const { return values_; }

 private:
  JsonObject values_;
};

}  // namespace holdfast::operations
