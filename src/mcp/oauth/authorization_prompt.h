#pragma once

// The step that needs a person: an address is opened in a browser, and the answer arrives as a redirect to us.

#include "mcp/oauth/web.h"

#include <memory>
#include <stop_token>
#include <string>

namespace holdfast::mcp::oauth {

// One place to be redirected to, for one authorization. Blocking; one thread.
class RedirectPlace {
 public:
  virtual ~RedirectPlace() = default;
  virtual std::string uri() const = 0;
  // Lets the person visit the URL and waits for the redirect that carries this state; gives the parameters of its query, not
  // judged yet. Errors: cancelled (stop), timeout, unavailable (no browser).
  virtual Result<Fields> ask(const std::string& url, const std::string& state, const std::stop_token& stop) = 0;
};

class AuthorizationPrompt {
 public:
  virtual ~AuthorizationPrompt() = default;
  // preferred: the address that we are registered with, if any; another one is given when that is taken.
  virtual Result<std::unique_ptr<RedirectPlace>> prepare(const std::string& preferred) = 0;
};

}  // namespace holdfast::mcp::oauth
