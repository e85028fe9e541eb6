#pragma once

// Who lets the requests of an HTTP transport in. The transport asks it before each request and when one was refused; what it
// does about that (oauth/authorizer.h) may take minutes, when a person is asked. Loop thread only.

#include "net/client/http_client.h"

#include <cstdint>
#include <functional>

namespace holdfast::mcp {

class HttpAuthorizer {
 public:
  using Done = std::function<void(Result<void>)>;
  // Grows with each token, so that a refusal can be told to be of an older one.
  using Turn = std::uint64_t;

  virtual ~HttpAuthorizer() = default;

  // What we hold will do for now. Otherwise renew() first; it calls done later, in any case: a token that could not be
  // renewed is refused soon enough.
  virtual bool fresh() const = 0;
  virtual void renew(Done done) = 0;
  // Adds what we hold, if anything. Only for calls to the server that this was made for.
  virtual Turn sign(net::HttpCall& call) = 0;
  // A request signed at that turn was refused. False: nothing can be done about it. Otherwise done is called later: send it
  // again, or the reason why not.
  virtual bool refused(Turn turn, const net::HttpAnswer& answer, Done done) = 0;
  // The head of every answer, also of good ones: servers hand out there what they want to see with the next request.
  virtual void heard(const net::HttpAnswer&) {}
};

}  // namespace holdfast::mcp
