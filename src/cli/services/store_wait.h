#pragma once

// A server whose database is away: it waits, and says so to who asks.

#include "cli/program/context.h"

#include <cstdint>
#include <memory>
#include <string_view>

namespace holdfast::cli {

struct AwaitedStore {
  std::unique_ptr<session::Store> store;  // null: asked to stop while waiting
  std::uint16_t port = 0;                 // where it was waited, to go on there; 0: it was not necessary
};

// The store of the settings. When its database cannot be reached, /healthz says 503 at the address of the settings until it can,
// and so does every other path. Ends at SIGTERM and the like; signals are watched by somebody else already (StopSignals). Errors:
// as Context::open_store; those of listening.
Result<AwaitedStore> wait_for_store(const Context& context);

// Tells the service manager how the service stands (sd_notify(3)): READY=1 when clients are served, STOPPING=1 when it ends. So
// `systemctl restart` of one node after the other waits until the first one really serves.
//
// By hand, because it is one datagram: the library for it would be a dependency of the whole program.
//
// Nothing happens without a service manager that waits for it.
void tell_service_manager(std::string_view state);

}  // namespace holdfast::cli
