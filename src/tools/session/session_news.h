#pragma once

// Tells subscribed clients that a session has changed, whichever process changed it.
//
// The store says that something is there to be read; whose it is gets looked up on the pool, because only its
// owner may hear of it. Any number of changes that come while that happens are one more look. Whose it is changes seldom and
// never without an event, so it is remembered until one comes that is no entry.

#include "mcp/server/server.h"
#include "session/store.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace holdfast::tools {

class SessionNews {
 public:
  // Until it is destroyed; the server's pool must be closed by then. Errors: the store cannot be watched.
  static Result<std::unique_ptr<SessionNews>> follow(session::Store& store, mcp::Server& server);

 private:
  SessionNews(session::Store& store, mcp::Server& server) : store_(store), server_(server) {}
  void on_ready();
  void tell();
  // Forgets whose these are, where that may have changed.
  void forget_owners(const session::Subscription::Taken& taken);
  // nullopt: nobody knows. `seen` is forgotten_ when the event was taken.
  std::optional<mcp::Audience> audience_of(const std::string& id, std::uint64_t seen);

  session::Store& store_;
  mcp::Server& server_;
  std::atomic<bool> looking_ = false;
  std::mutex mutex_;  // of all below; news may come before follow() has returned
  std::unique_ptr<session::Subscription> subscription_;
  std::map<std::string, mcp::Audience> owners_;
  std::uint64_t forgotten_ = 0;  // how often something was: what was read before that is not remembered
};

}  // namespace holdfast::tools
