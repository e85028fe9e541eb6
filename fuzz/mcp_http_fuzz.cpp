// Requests of a hostile client over HTTP, without the sockets. An input is a list of requests with lines "--" between
// them: the method, headers, a blank line, the body. The header value "$" stands for the session id that was given out
// last, or for the last event id. FakeExchange ends the program when the transport answers twice.

#include "mcp/transport/test_exchange.h"
#include "mcp/transport/transport_http.h"
#include "mcp_fixture.h"

#include <cstdint>
#include <string_view>

using namespace holdfast;

namespace {

std::string_view take_until(std::string_view& text, std::string_view mark) {
  std::size_t end = text.find(mark);
  std::string_view part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + mark.size());
  return part;
}

net::HttpRequest read_request(std::string_view text, const std::string& session, const std::string& event) {
  net::HttpRequest request;
  request.method = take_until(text, "\n");
  request.target = request.path = "/mcp";
  for (std::string_view line; !(line = take_until(text, "\n")).empty();) {
    std::string_view name = take_until(line, ": ");
    std::string value(line);
    if (value == "$") value = name == "Last-Event-ID" ? event : session;
    request.headers.emplace_back(std::string(name), std::move(value));
  }
  request.body = text;
  return request;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  mcp::FuzzServer fixture;
  std::vector<std::shared_ptr<mcp::FakeExchange>> exchanges;
  std::string session, event;
  mcp::HttpTransport transport(fixture.server);
  while (!input.empty()) {
    auto exchange = std::make_shared<mcp::FakeExchange>(read_request(take_until(input, "\n--\n"), session, event));
    exchanges.push_back(exchange);
    transport.handle(exchange, local_identity());
    fixture.settle([&] { return exchange->done || exchange->streaming; });
    for (const auto& [name, value] : exchange->response.headers)
      if (name == "Mcp-Session-Id") session = value;
    if (!exchange->events.empty()) event = exchange->events.back().id;
    if (exchange->done) mcp::FuzzServer::require(exchange->response.status >= 200 && exchange->response.status < 600);
  }
  for (const auto& exchange : exchanges) exchange->leave();
  fixture.loop.run_ready();
  fixture.server.shut_down();
  fixture.pool.close();  // before the transport: what the pool does is posted to it
  return 0;
}
