#pragma once

// Asks a person: opens their browser, and waits on a loopback address (RFC 8252) for what it is redirected to.

#include "mcp/oauth/authorization_prompt.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace holdfast::mcp::oauth {

// Finding a password, and a telephone for its second factor.
inline constexpr std::chrono::milliseconds kLoginTimeout = std::chrono::minutes(5);

class BrowserPrompt final : public AuthorizationPrompt {
 public:
  // Gets each URL that a person should visit: open_in_browser, or what shows it to them. Its errors end the attempt.
  using Opener = std::function<Result<void>(const std::string& url)>;

  explicit BrowserPrompt(Opener open, std::chrono::milliseconds timeout = kLoginTimeout)
      : open_(std::move(open)), timeout_(timeout) {}

  // Listens from here on. Errors: those of net::HttpServer::listen.
  Result<std::unique_ptr<RedirectPlace>> prepare(const std::string& preferred) override;

 private:
  Opener open_;
  std::chrono::milliseconds timeout_;
};

// With xdg-open, without a shell, in a session of its own so that the browser outlives us. Only http and https. Errors: refused
// (another scheme), not_found (no xdg-open).
Result<void> open_in_browser(const std::string& url);

}  // namespace holdfast::mcp::oauth
