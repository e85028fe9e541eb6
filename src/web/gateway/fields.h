#pragma once

// Names and values of a query ("a=1&b=two+words") or of a form that a browser sent, decoded.
//
// What arrives is hostile: at most kMaxFields pairs are read, a broken escape makes the pair disappear, and values may hold any
// bytes (html.h escapes them, the store checks them).

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::web {

class Fields {
 public:
  static constexpr std::size_t kMaxFields = 2'000;  // a review of a thousand changes has as many check boxes

  Fields() = default;
  static Fields parse(std::string_view encoded);

  // The first value of that name; empty when there is none. The view lives as long as this.
  std::string_view get(std::string_view name) const;
  std::vector<std::string> all(std::string_view name) const;
  bool has(std::string_view name) const;
  bool empty() const { return pairs_.empty(); }

  // The same fields with one of them replaced (added at the end when absent); an empty value removes it.
  Fields with(std::string_view name, std::string_view value) const;
  // As a query again, without "?".
  std::string encode() const;

 private:
  std::vector<std::pair<std::string, std::string>> pairs_;
};

}  // namespace holdfast::web
