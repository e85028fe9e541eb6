#pragma once

// One request to an endpoint and the answer to it, read as it arrives: no retries here.

#include "base/error.h"
#include "model/wire/answer_reader.h"
#include "model/wire/fault.h"
#include "net/client/http_client.h"

#include <chrono>
#include <expected>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::model {

// HTTP clients to borrow: each serves one thread at a time and keeps its connections, so they are handed from call to call. Any
// thread.
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

// Whether the caller still wants an answer, while we pause or another loads the model.
inline constexpr std::chrono::milliseconds kAskEvery{50};

struct Question {
  std::string url, key, body;  // key: empty: none is sent
  std::chrono::milliseconds timeout{};
  std::optional<std::chrono::milliseconds> first_byte = {};
  AnswerReader::Options reading = {};
  std::function<void(std::string_view)> on_text = {};
  std::function<bool()> cancelled = {};
};

// Blocks until the answer is whole. `cancelled` is asked every 50 ms, also while nothing comes.
std::expected<Answer, Fault> exchange(HttpClients& clients, const Question& question);

Error cancelled_error();

}  // namespace holdfast::model
