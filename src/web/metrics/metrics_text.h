#pragma once

// The Prometheus text format 0.0.4. Names are given without the prefix "holdfast_", except those that begin with "process_",
// which every program calls the same.

#include "base/run/histogram.h"
#include "net/http/http_server.h"
#include "session/store.h"

#include <array>
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

// How long HTTP requests took and how they were answered, by the part of the server that answered. For /metrics; I/O thread only.
class RouteTimes {
 public:
  // Of a stream (events) it is the time until it begins.
  void observe(const net::HttpRequest& request, int status, std::chrono::steady_clock::duration time);
  void add_to(MetricsText& metrics) const;

 private:
  static constexpr std::array<std::string_view, 6> kRoutes = {"mcp", "page", "asset", "events", "healthz", "metrics"};
  static std::size_t route_of(std::string_view path);

  struct Series {
    Histogram times{kDurationBounds};
    std::array<std::uint64_t, 5> by_class{};  // 1xx to 5xx
  };
  std::array<Series, kRoutes.size()> series_;
};

// What the kernel says of this process, under the names that every program uses for it.

// Resident memory of this process in bytes; 0 when the kernel does not tell.
std::uint64_t resident_bytes();

void add_process_metrics(MetricsText& metrics, std::string_view version);

// How full the store is, and whether it can be used. Blocks.

void add_store_metrics(MetricsText& metrics, session::Store& store);

}  // namespace holdfast::web
