#pragma once

// HTTP requests that do not wait: any number at once on the event loop, answers that last for hours. Loop thread only.
//
// The same checks and settings as http_client.h, whose HttpCall it takes, except: nothing is said when nobody speaks
// (stalled_timeout is not looked at; who waits has a time-out of his own), and sink and progress are replaced by events.

#include "net/client/http_client.h"
#include "net/run/event_loop.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace holdfast::net {

class HttpStreams {
 public:
  using Id = std::uint64_t;  // never 0
  struct Events {
    // A piece of the body of an answer with a status of 2xx; the answer so far has status and headers. May be empty:
    // the body is then collected in the answer, as that of every other status always is. An error ends the request.
    std::function<Result<void>(const HttpAnswer& head, std::string_view bytes)> on_body;
    // The end; must be given. reached: a connection to the server was made, so that it may know of the request.
    std::function<void(Result<HttpAnswer> answer, bool reached)> on_end;
  };

  // Errors: unavailable (libcurl is not installed).
  static Result<std::unique_ptr<HttpStreams>> make(EventLoop& loop);
  virtual ~HttpStreams() = default;  // requests that are not over end without a word

  // Events come later, never inside this. Errors: those of a call that cannot be made (invalid).
  virtual Result<Id> start(HttpCall call, Events events) = 0;
  // Ends it; none of its events follows. Unknown ids are ignored.
  virtual void stop(Id id) = 0;
};

}  // namespace holdfast::net
