#pragma once

// The Prometheus text format, as far as we use it: numbers without labels.

#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::web {

class MetricsText {
 public:
  // Names are given without the prefix "holdfast_". A counter only grows; a gauge goes both ways.
  void counter(std::string_view name, std::string_view help, std::uint64_t value) { add(name, help, "counter", value); }
  void gauge(std::string_view name, std::string_view help, std::uint64_t value) { add(name, help, "gauge", value); }

  const std::string& text() const { return text_; }

 private:
  void add(std::string_view name, std::string_view help, std::string_view type, std::uint64_t value);
  std::string text_;
};

// Resident memory of this process in bytes; 0 when the kernel does not tell.
std::uint64_t resident_bytes();

}  // namespace holdfast::web
