#pragma once

// HTTP clients to borrow: each serves one thread at a time and keeps its connections, so they are handed from call to call. Any
// thread.

#include "net/client/http_client.h"

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace holdfast::model {

class HttpClients {
 public:
  // Gives the client back when it goes; not longer than the HttpClients live.
  class Borrowed {
   public:
    Borrowed(HttpClients& from, std::unique_ptr<net::HttpClient> client) : from_(&from), client_(std::move(client)) {}
    Borrowed(Borrowed&&) = default;
    Borrowed& operator=(Borrowed&&) = delete;
    ~Borrowed() {
      if (client_) from_->take_back(std::move(client_));
    }
    net::HttpClient* operator->() const { return client_.get(); }

   private:
    HttpClients* from_;
    std::unique_ptr<net::HttpClient> client_;
  };

  Result<Borrowed> borrow();

 private:
  void take_back(std::unique_ptr<net::HttpClient> client);

  std::mutex mutex_;
  std::vector<std::unique_ptr<net::HttpClient>> idle_;  // guarded by mutex_
};

}  // namespace holdfast::model
