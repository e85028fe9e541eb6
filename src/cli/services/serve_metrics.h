#pragma once

// The numbers of /metrics that the parts of a running server know of themselves. I/O thread.

#include "base/run/pool.h"
#include "cli/services/search_service.h"
#include "mcp/transport/transport_http.h"
#include "net/http/http_server.h"
#include "session/commit_meter.h"
#include "web/metrics/metrics_text.h"

namespace holdfast::cli {

struct MeasuredServer {
  const mcp::Server& server;
  const mcp::HttpTransport& transport;
  const net::HttpServer& http;
  const web::RouteTimes& routes;
  const Pool& pool;
  const session::CommitMeter& commits;
  const SearchService* search = nullptr;  // nullptr: transcripts are none of this server's business
};

void measure(web::MetricsText& metrics, const MeasuredServer& measured);

}  // namespace holdfast::cli
