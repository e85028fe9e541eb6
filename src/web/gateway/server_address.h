#pragma once

// Where the HTTP server that uses a store can be reached, so that `holdfast login` can print an address
// that works, also for a server that took a free port. The server started last is remembered.

#include "session/store.h"

#include <optional>
#include <string>

namespace holdfast::web {

Result<void> remember_address(session::Store& store, const std::string& url);
Result<std::optional<std::string>> last_address(session::Store& store);

// "http://127.0.0.1:4747"; an IPv6 address gets its brackets, and an address that means "all" becomes loopback.
std::string address_of(const std::string& host, std::uint16_t port);

// The same server under login_host() (logins.h), when it is on this machine; nullopt for others.
std::optional<std::string> private_address(const std::string& address, const session::Store& store);

}  // namespace holdfast::web
