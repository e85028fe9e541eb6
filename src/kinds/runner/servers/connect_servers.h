#pragma once

// How defined servers are reached: a program is started, with the folders in its arguments where its definition says so; an
// address is spoken to over HTTP.
//
// An address that asks for a login gets one: from the folder of logins, where it is kept and renewed, or from a person, where
// one can be asked. A definition with an Authorization header of its own speaks for itself.

#include "kinds/runner/servers/live_server.h"

#include <functional>
#include <string>

namespace holdfast::net {
class EventLoop;
}

namespace holdfast::runner {

// Code of the error when a server wants a person to log in, and nobody can be asked.
inline constexpr std::string_view kLoginRequired = "login_required";

struct LoginSettings {
  std::string folder;  // mode 0700, one file of mode 0600 for each issuer; empty: logins last as long as the program
  // Shows somebody the address where they can log in. Empty: nobody can be asked. Called on a thread of its own.
  std::function<Result<void>(const ServerDefinition& server, const std::string& url)> show;
  // What somebody can do about it later: the hint of kLoginRequired.
  std::function<std::string(const ServerDefinition& server)> how_to_log_in;
};

// The loop outlives everything that is connected, and what this returns.
LiveServer::Connect connect_servers(net::EventLoop& loop, LoginSettings logins = {});

// Whether there is a login for it, and forgetting it (false: there was none). Errors: invalid (it has no address), those of
// files.
Result<bool> has_login(const LoginSettings& logins, const ServerDefinition& server);
Result<bool> forget_login(const LoginSettings& logins, const ServerDefinition& server);

}  // namespace holdfast::runner
