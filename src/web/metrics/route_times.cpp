#include "web/metrics/route_times.h"

#include <algorithm>

namespace holdfast::web {

std::size_t RouteTimes::route_of(std::string_view path) {
  if (path.starts_with("/mcp")) return 0;
  if (path.starts_with("/assets/")) return 2;
  if (path == "/events") return 3;
  if (path == "/healthz") return 4;
  if (path == "/metrics") return 5;
  return 1;
}

void RouteTimes::observe(const net::HttpRequest& request, int status, std::chrono::steady_clock::duration time) {
  Series& series = series_[route_of(request.path)];
  series.times.observe(time);
  ++series.by_class[static_cast<std::size_t>(std::clamp(status / 100, 1, 5) - 1)];
}

void RouteTimes::add_to(MetricsText& metrics) const {
  metrics.begin("http_request_duration_seconds",
                "Time from the end of an HTTP request to its answer, or the start of its stream.", "histogram");
  for (std::size_t i = 0; i < kRoutes.size(); ++i)
    metrics.spread({{"route", kRoutes[i]}}, series_[i].times.read(), MetricsText::kMicroseconds);
  constexpr std::array<std::string_view, 5> kClasses = {"1xx", "2xx", "3xx", "4xx", "5xx"};
  metrics.begin("http_responses_total", "HTTP answers by the class of their status.", "counter");
  for (std::size_t i = 0; i < kRoutes.size(); ++i)
    for (std::size_t c = 0; c < kClasses.size(); ++c)
      metrics.sample({{"route", kRoutes[i]}, {"status", kClasses[c]}}, series_[i].by_class[c]);
}

}  // namespace holdfast::web
