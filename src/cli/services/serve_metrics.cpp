#include "cli/services/serve_metrics.h"

#include "mcp/server/server.h"

namespace holdfast::cli {

namespace {

void measure_calls(web::MetricsText& metrics, const mcp::Server& server) {
  const mcp::Server::Counts calls = server.counts();
  metrics.counter("requests_total", "MCP requests received.", calls.requests);
  metrics.counter("errors_total", "MCP requests answered with an error.", calls.errors);
  metrics.gauge("requests_running", "MCP requests being worked on.", calls.running);
  metrics.gauge("subscriptions", "Open subscriptions.", calls.subscriptions);
  const auto& series = server.request_times().series();
  metrics.begin("request_duration_seconds", "Time from an MCP request to its answer.", "histogram");
  for (const auto& [name, one] : series)
    metrics.spread({{"method", name.first}, {"tool", name.second}}, one.times.read(), web::MetricsText::kMicroseconds);
  metrics.begin("request_endings_total", "MCP requests by how they ended; failed are also tools that answered with an error.",
                "counter");
  for (const auto& [name, one] : series) {
    metrics.sample({{"method", name.first}, {"tool", name.second}, {"ending", "answered"}}, one.answered);
    metrics.sample({{"method", name.first}, {"tool", name.second}, {"ending", "failed"}}, one.failed);
    metrics.sample({{"method", name.first}, {"tool", name.second}, {"ending", "cancelled"}}, one.cancelled);
  }
}

void measure_http(web::MetricsText& metrics, const net::HttpServer& http, const web::RouteTimes& routes) {
  const net::HttpServer::Counts counts = http.counts();
  metrics.counter("http_requests_total", "HTTP requests received.", counts.requests_total);
  metrics.counter("http_bad_requests_total", "HTTP requests that could not be read.", counts.bad_requests);
  metrics.counter("http_timeouts_total", "Connections closed because the client was too slow.", counts.timeouts);
  metrics.counter("http_connections_total", "Connections accepted.", counts.connections_total);
  metrics.counter("http_connections_refused_total", "Connections refused because there were too many.",
                  counts.refused_connections);
  metrics.gauge("http_connections", "Open connections.", counts.connections_open);
  metrics.gauge("http_streams", "Open event streams.", counts.streams_open);
  routes.add_to(metrics);
}

void measure_commits(web::MetricsText& metrics, const session::CommitMeter& commits) {
  metrics.begin("store_commit_duration_seconds", "Time of a commit to the store, waiting for the disk included.", "histogram");
  metrics.spread({}, commits.times().read(), web::MetricsText::kMicroseconds);
  metrics.begin("store_commit_writes", "Writes that shared a commit.", "histogram");
  metrics.spread({}, commits.sizes().read(), 1);
  metrics.counter("store_write_failures_total", "Writes that the disk or the database refused.", commits.failures());
  metrics.gauge("store_write_failing", "1 when the last write failed so; the log says why.", commits.failing() ? 1 : 0);
  metrics.begin("store_last_write_failure_seconds", "When that happened last, since 1970; 0: never.", "gauge");
  metrics.sample({}, static_cast<double>(commits.last_failure()) / 1000);
}

void measure_pool(web::MetricsText& metrics, const Pool& pool) {
  const Pool::Counts counts = pool.counts();
  metrics.gauge("pool_threads", "Threads for work that blocks.", counts.threads);
  metrics.gauge("pool_threads_idle", "Those of them that have nothing to do.", counts.idle);
  metrics.gauge("pool_queue", "Tasks that wait for a thread.", counts.queued);
  metrics.begin("pool_wait_seconds", "How long tasks waited for a thread.", "histogram");
  metrics.spread({}, pool.waits().read(), web::MetricsText::kMicroseconds);
}

void measure_search(web::MetricsText& metrics, const SearchService::Condition& condition) {
  const auto seconds = [](Millis time) { return static_cast<double>(time) / 1000; };
  metrics.gauge("transcript_files", "Files of transcripts, those that only the guard still has included.",
                condition.index.sources);
  metrics.gauge("transcript_bytes", "Bytes in them.", condition.index.source_bytes);
  metrics.gauge("search_indexed_bytes", "Of these, what the index knows; the rest is read by every search.",
                condition.index.indexed_bytes);
  metrics.gauge("search_index_bytes", "Size of the index on the disk.", condition.index.index_bytes);
  metrics.begin("search_index_updated_seconds", "When this process brought the index up to date last, since 1970; 0: not yet.",
                "gauge");
  metrics.sample({}, seconds(condition.updated_at));
  metrics.gauge("guard_files", "Files that the guard has.", condition.guard.files);
  metrics.gauge("guard_stored_bytes", "What they take on the disk.", condition.guard.stored_bytes);
  metrics.begin("guard_kept_seconds", "When the guard kept something last, since 1970; 0: never.", "gauge");
  metrics.sample({}, seconds(condition.kept_at));
}

}  // namespace

void measure(web::MetricsText& metrics, const MeasuredServer& measured) {
  measure_calls(metrics, measured.server);
  metrics.gauge("sessions_cached", "Legacy transport sessions in memory.", measured.transport.cached_sessions());
  measure_http(metrics, measured.http, measured.routes);
  measure_commits(metrics, measured.commits);
  measure_pool(metrics, measured.pool);
  if (measured.search != nullptr) measure_search(metrics, measured.search->condition());
}

}  // namespace holdfast::cli
