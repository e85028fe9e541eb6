#pragma once

// One question to a search service, without patience: what resilient.h wraps.

#include "kinds/research/sources/search_provider.h"
#include "net/client/http_client.h"

#include <chrono>
#include <expected>
#include <optional>

namespace holdfast::research {

struct RemoteFault {
  enum class Kind {
    final,         // repeating it cannot help: key, settings, the question itself; also: the caller gave up
    rate_limited,  // asked too often: later, and no sign of trouble
    passing        // 5xx, time-out, connection
  };
  Kind kind = Kind::final;
  Error error;
  std::optional<std::chrono::milliseconds> retry_after;  // as the service said
};

using RemoteAnswer = std::expected<std::vector<Found>, RemoteFault>;

class RemoteSearch {
 public:
  virtual ~RemoteSearch() = default;
  virtual std::string_view name() const = 0;
  virtual RemoteAnswer ask(const SearchAsk& ask) = 0;  // any thread
  virtual Result<void> health() = 0;
};

// What went wrong on the way.
RemoteFault fault_of(Error error);
// What an answer other than 2xx means for any service; `name` is for the message.
RemoteFault fault_of(std::string_view name, const net::HttpAnswer& answer);

}  // namespace holdfast::research
