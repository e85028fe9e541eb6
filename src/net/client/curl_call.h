#pragma once

// One request as libcurl wants it: checked, with every option that all our requests share. Whoever runs it (http_client.cpp
// waits, http_streams.cpp does not) adds easy() to a multi handle and takes it off before this ends.

#include "base/result.h"
#include "net/client/http_client.h"

#include <curl/curl.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace holdfast::net {

// The functions of libcurl that we use, found in the library when they are first needed. The header is that of the version we
// are built with; the library's interface has been stable since long before (libcurl.so.4).
struct CurlLibrary {
  decltype(&curl_easy_init) easy_init = nullptr;
  decltype(&curl_easy_setopt) easy_setopt = nullptr;
  decltype(&curl_easy_getinfo) easy_getinfo = nullptr;
  decltype(&curl_easy_reset) easy_reset = nullptr;
  decltype(&curl_easy_strerror) easy_strerror = nullptr;
  decltype(&curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&curl_multi_init) multi_init = nullptr;
  decltype(&curl_multi_add_handle) multi_add_handle = nullptr;
  decltype(&curl_multi_remove_handle) multi_remove_handle = nullptr;
  decltype(&curl_multi_perform) multi_perform = nullptr;
  decltype(&curl_multi_poll) multi_poll = nullptr;
  decltype(&curl_multi_info_read) multi_info_read = nullptr;
  decltype(&curl_multi_setopt) multi_setopt = nullptr;
  decltype(&curl_multi_socket_action) multi_socket_action = nullptr;
  decltype(&curl_multi_cleanup) multi_cleanup = nullptr;
  decltype(&curl_slist_append) slist_append = nullptr;
  decltype(&curl_slist_free_all) slist_free_all = nullptr;

  // Loads it once for the life of the program; any thread. Errors: unavailable (not installed, or too old).
  static Result<const CurlLibrary*> load();
};

// One call on its way: what libcurl asks for and delivers. It knows the call's limits and keeps the first thing that went wrong,
// because libcurl only says that a callback gave up.
//
// Lives for one HttpClient::send(), on its thread. Nothing is thrown through libcurl's C frames.
class HttpTransfer {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  HttpTransfer(const HttpCall& call, TimePoint now) : call_(call), last_byte_(now) {}

  // For CURLOPT_READFUNCTION, SEEKFUNCTION, HEADERFUNCTION, WRITEFUNCTION with a HttpTransfer as their data.
  static std::size_t on_read(char* to, std::size_t size, std::size_t count, void* transfer);
  static int on_seek(void* transfer, std::int64_t offset, int origin);
  static std::size_t on_header(char* line, std::size_t size, std::size_t count, void* transfer);
  static std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* transfer);

  bool has_body() const;  // to be sent, also an empty one
  std::uint64_t body_size() const { return call_.body_fd >= 0 ? call_.body_size : call_.body.size(); }

  // Between two steps: the caller may give up, the peer may have gone silent. `connected`: the peer has been reached; what comes
  // before is limited by the time for connecting. The error is kept, too.
  bool may_go_on(TimePoint now, bool connected);

  const std::optional<Error>& failure() const { return failure_; }
  HttpAnswer& answer() { return answer_; }

 private:
  std::size_t read(char* to, std::size_t room);
  bool header(std::string_view line);
  bool body(std::string_view bytes);
  bool give_up(Error error);  // false

  const HttpCall& call_;
  HttpAnswer answer_;
  std::optional<Error> failure_;
  std::uint64_t sent_ = 0, received_ = 0;
  std::size_t header_bytes_ = 0;
  TimePoint last_byte_;
  TimePoint next_report_{};
  bool connected_ = false;
  bool moved_ = false;  // a byte went either way since may_go_on() looked last
};

class CurlCall {
 public:
  // The call outlives it. Errors: invalid (the URL, the method, a header), unavailable (libcurl is too old), internal.
  static Result<std::unique_ptr<CurlCall>> make(const CurlLibrary& curl, const HttpCall& call);
  CurlCall(const CurlCall&) = delete;
  CurlCall& operator=(const CurlCall&) = delete;

  CURL* easy() { return easy_.get(); }
  HttpTransfer& transfer() { return transfer_; }
  bool connected() const;  // the peer has been reached: it may know of the request
  // What libcurl's verdict, and the transfer's own, mean. Once, at the end.
  Result<HttpAnswer> finish(CURLcode code);

 private:
  struct FreeEasy {
    const CurlLibrary* curl;
    void operator()(CURL* easy) const { curl->easy_cleanup(easy); }
  };
  struct FreeList {
    const CurlLibrary* curl;
    void operator()(curl_slist* list) const { curl->slist_free_all(list); }
  };
  using List = std::unique_ptr<curl_slist, FreeList>;

  CurlCall(const CurlLibrary& curl, const HttpCall& call);
  Result<List> headers_of() const;
  Result<List> connect_to_of() const;
  bool set_up();

  const CurlLibrary& curl_;
  const HttpCall& call_;
  HttpTransfer transfer_;
  std::array<char, CURL_ERROR_SIZE> reason_{};
  std::unique_ptr<CURL, FreeEasy> easy_;
  List headers_, connect_to_;
};

}  // namespace holdfast::net
