#pragma once

// How long HTTP requests took and how they were answered, by the part of the server that answered. For /metrics; I/O thread only.

#include "base/run/histogram.h"
#include "net/http/http_server.h"
#include "web/metrics/metrics_text.h"

#include <array>

namespace holdfast::web {

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

}  // namespace holdfast::web
