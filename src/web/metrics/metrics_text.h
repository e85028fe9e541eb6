#pragma once

// The Prometheus text format 0.0.4. Names are given without the prefix "holdfast_", except those that begin with "process_",
// which every program calls the same.

#include "base/run/histogram.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace holdfast::web {

class MetricsText {
 public:
  struct Label {
    std::string_view name;
    std::string_view value;  // any text; it is escaped
  };
  using Labels = std::initializer_list<Label>;

  // A counter only grows; a gauge goes both ways.
  void counter(std::string_view name, std::string_view help, std::uint64_t value) { single(name, help, "counter", value); }
  void gauge(std::string_view name, std::string_view help, std::uint64_t value) { single(name, help, "gauge", value); }

  // Several samples of one name: begin() once, then each with its labels.
  void begin(std::string_view name, std::string_view help, std::string_view type);
  void sample(Labels labels, std::uint64_t value);
  void sample(Labels labels, double value);
  // Of a family of type "histogram"; `unit` is what one of the histogram's numbers is worth: 1e-6 makes seconds of microseconds.
  void spread(Labels labels, const Histogram::Snapshot& histogram, double unit);
  static constexpr double kMicroseconds = 1e-6;

  const std::string& text() const { return text_; }

 private:
  void single(std::string_view name, std::string_view help, std::string_view type, std::uint64_t value);
  void line(std::string_view suffix, Labels labels, std::string_view last_label, std::string_view last_value,
            std::string_view value);

  std::string name_;  // of the family, with its prefix
  std::string text_;
};

}  // namespace holdfast::web
