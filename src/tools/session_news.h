#pragma once

// Tells subscribed clients that a session has changed, whichever process changed it.
//
// The store says that something is there to be read; whose it is gets looked up on the pool, because only its
// owner may hear of it. Any number of changes that come while that happens are one more look.

#include "mcp/server.h"
#include "session/store.h"

#include <atomic>
#include <memory>
#include <mutex>

namespace holdfast::tools {

class SessionNews {
 public:
  // Until it is destroyed; the server's pool must be closed by then. Errors: the store cannot be watched.
  static Result<std::unique_ptr<SessionNews>> follow(session::Store& store, mcp::Server& server);

 private:
  SessionNews(session::Store& store, mcp::Server& server) : store_(store), server_(server) {}
  void on_ready();
  void tell();

  session::Store& store_;
  mcp::Server& server_;
  std::atomic<bool> looking_ = false;
  std::mutex mutex_;                                     // news may come before follow() has returned
  std::unique_ptr<session::Subscription> subscription_;  // guarded by mutex_
};

}  // namespace holdfast::tools
