#pragma once

// Who is calling, and what the other side can do.

#include "base/identity.h"
#include "base/json/json.h"
#include "base/run/clock.h"
#include "mcp/wire/rpc.h"
#include "mcp/wire/versions.h"

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::mcp {

enum class Transport { stdio, http };

// Severity of notifications/message, as in syslog.
enum class Severity { debug, info, notice, warning, error, critical, alert, emergency };
std::optional<Severity> severity_named(std::string_view name);
std::string_view name_of(Severity severity);

inline constexpr std::string_view kTasksExtension = "io.modelcontextprotocol/tasks";
// The -32021 for a caller that did not declare it.
RpcError missing_tasks_extension(std::string message);

// Who sends a request, and what it says about its sender; in the legacy era, what the handshake said. The identity is that of
// this request (its token), also in the legacy era. Immutable.
struct Caller : Identity {
  Version version = kNewestModern;
  Transport transport = Transport::stdio;
  std::string connection;  // legacy session id, "stdio", or empty: a modern HTTP request has none
  Millis opened_at = 0;    // when the handshake was; 0: there was none
  JsonObject capabilities;
  JsonObject client_info;
  std::optional<Severity> log_level;  // modern: of this request

  Era era() const { return era_of(version); }

  bool can_elicit_form() const;
  bool can_elicit_url() const;
  bool can_sample() const;
  bool can_sample_with_tools() const;
  bool can_list_roots() const;
  bool has_extension(std::string_view id) const;
};

// Whose something kept or sent is, as rows and messages between processes have it. What says it in no such form, or not at all,
// is nobody's: nullopt.
JsonObject owner_fields(const Identity& owner);
std::optional<Identity> owner_in(const JsonObject& written);

// For a caller that lacks it: refused, with code insufficient_scope.
Error missing_scope(Scope needed);
// For who --no-auth let in and asks for something that starts programs.
Error missing_token();

}  // namespace holdfast::mcp
