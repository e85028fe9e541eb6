#include "model/http_clients.h"

namespace holdfast::model {

namespace {
// As many as usually ask at once (research works on three questions, consensus on three providers); more are made and closed
// again.
constexpr std::size_t kKept = 4;
}  // namespace

Result<HttpClients::Borrowed> HttpClients::borrow() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      Borrowed borrowed(*this, std::move(idle_.back()));
      idle_.pop_back();
      return borrowed;
    }
  }
  HF_TRY(auto made, net::HttpClient::make());
  return Borrowed(*this, std::move(made));
}

void HttpClients::take_back(std::unique_ptr<net::HttpClient> client) {
  const std::lock_guard lock(mutex_);
  if (idle_.size() < kKept) idle_.push_back(std::move(client));
}

}  // namespace holdfast::model
