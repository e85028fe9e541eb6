#pragma once

// One request as libcurl wants it: checked, with every option that all our requests share. Whoever runs it (http_client.cpp
// waits, http_streams.cpp does not) adds easy() to a multi handle and takes it off before this ends.

#include "net/client/curl_library.h"
#include "net/client/http_transfer.h"

#include <array>
#include <memory>

namespace holdfast::net {

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
