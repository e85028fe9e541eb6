#include "net/client/http_client.h"

#include "base/text/text.h"
#include "net/client/curl_call.h"
#include "net/run/without_sigpipe.h"

#include <algorithm>
#include <charconv>
#include <ctime>

namespace holdfast::net {
namespace {

constexpr std::chrono::milliseconds kLookUp{50};  // how long a wait may last before the caller is asked whether to go on

class CurlClient final : public HttpClient {
 public:
  CurlClient(const CurlLibrary& curl, CURLM* connections) : curl_(curl), connections_(connections) {}
  ~CurlClient() override { curl_.multi_cleanup(connections_); }

  Result<HttpAnswer> send(const HttpCall& call) override;

 private:
  CURLcode run(CurlCall& prepared, const HttpCall& call);

  const CurlLibrary& curl_;
  CURLM* connections_;  // kept between calls, with what it knows of hosts
};

// Until the transfer is over, or must not go on.
CURLcode CurlClient::run(CurlCall& prepared, const HttpCall& call) {
  const auto longest_wait = static_cast<int>(std::min(kLookUp, call.stalled_timeout).count());
  for (int running = 1;;) {
    if (curl_.multi_perform(connections_, &running) != CURLM_OK) return CURLE_FAILED_INIT;
    if (running == 0) break;
    if (!prepared.transfer().may_go_on(std::chrono::steady_clock::now(), prepared.connected())) return CURLE_ABORTED_BY_CALLBACK;
    if (curl_.multi_poll(connections_, nullptr, 0, longest_wait, nullptr) != CURLM_OK) return CURLE_FAILED_INIT;
  }
  int left = 0;
  const CURLMsg* message = curl_.multi_info_read(connections_, &left);
  return message && message->msg == CURLMSG_DONE ? message->data.result : CURLE_FAILED_INIT;
}

Result<HttpAnswer> CurlClient::send(const HttpCall& call) {
  HF_TRY(const std::unique_ptr<CurlCall> prepared, CurlCall::make(curl_, call));
  const WithoutSigpipe guard;
  if (curl_.multi_add_handle(connections_, prepared->easy()) != CURLM_OK)
    return fail(ErrorKind::internal, "libcurl does not take the request");
  const CURLcode code = run(*prepared, call);
  curl_.multi_remove_handle(connections_, prepared->easy());
  return prepared->finish(code);
}

}  // namespace

std::string_view HttpAnswer::header(std::string_view name) const {
  for (auto header = headers.rbegin(); header != headers.rend(); ++header)
    if (header->first == name) return header->second;
  return {};
}

Result<std::unique_ptr<HttpClient>> HttpClient::make() {
  HF_TRY(const CurlLibrary* curl, CurlLibrary::load());
  CURLM* connections = curl->multi_init();
  if (!connections) return fail(ErrorKind::unavailable, "libcurl has no memory for connections");
  return std::make_unique<CurlClient>(*curl, connections);
}

std::optional<std::chrono::milliseconds> parse_retry_after(std::string_view value, std::chrono::system_clock::time_point now) {
  using std::chrono::milliseconds;
  constexpr std::chrono::seconds kLongest{86'400};  // no sum of it overflows
  value = trim(value);
  std::int64_t seconds = 0;
  const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), seconds);
  if (problem == std::errc() && end == value.data() + value.size() && seconds >= 0)
    return std::chrono::seconds(std::min<std::int64_t>(seconds, kLongest.count()));
  std::tm date{};
  const std::string text(value);
  const char* rest = ::strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &date);
  if (!rest || *rest != '\0') return std::nullopt;
  const auto away = std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::from_time_t(::timegm(&date)) - now);
  return std::clamp<milliseconds>(away, milliseconds(0), kLongest);
}

}  // namespace holdfast::net
