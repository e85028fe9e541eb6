#pragma once

// The addresses that log a browser in, once, as `serve` and `login` print them.

#include "cli/program/terminal.h"
#include "session/store.h"

#include <string>
#include <string_view>

namespace holdfast::cli {

struct LoginAddress {
  std::string url;  // works for everything that can reach the server
  std::string
      private_url;  // the same login under a name that no other server learns (web/gateway/logins.h); empty when there is none

  // On a terminal both, the one to open first; for a program the first alone. label: what stands before it.
  std::string text(const Terminal& terminal, std::string_view label = {}) const;
};

// With a fresh code for who holds the token of this name; address: "http://127.0.0.1:4747". Errors: not_found.
Result<LoginAddress> make_login(session::Store& store, const std::string& address, const std::string& token_name);

}  // namespace holdfast::cli
