#pragma once

// GET /events: tells open pages that a session has changed, whichever process changed it.
//
// One subscription of the store serves all streams. Whose a session is gets looked up on the pool, because only its owner,
// within the projects of the login, may hear of it. An event says that there is something to be read, never what; the page's
// script then asks for it (assets/app.js). What arrives while a look is going on is one more look, so a busy store costs one look
// at a time.
//
// Streams belong to the I/O thread. follow() and the looks run on the pool, which must be closed before this is destroyed.

#include "base/identity.h"
#include "base/run/executor.h"
#include "base/run/pool.h"
#include "net/http/http_server.h"
#include "session/store.h"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace holdfast::web {

class LiveEvents {
 public:
  // Open tabs of all people; a script that opens more takes the oldest one's place.
  static constexpr std::size_t kMaxStreams = 500;

  LiveEvents(session::Store& store, Executor& executor, Pool& pool) : store_(store), executor_(executor), pool_(pool) {}

  // I/O thread: answers with a stream that lasts until the client leaves.
  void join(std::shared_ptr<net::HttpExchange> exchange, const Identity& identity);
  // Any thread: says that a transcript of the user who runs the program has changed; without an id: some of them.
  void announce_transcript(const std::string& id);
  // Before the first join(): called once on the pool, when somebody listens for the first time.
  void on_first_listener(std::function<void()> callback) { on_first_listener_ = std::move(callback); }
  // I/O thread: ends all streams, so that a server that stops does not wait for them.
  void close();

 private:
  struct Stream {
    std::shared_ptr<net::HttpExchange> exchange;
    Identity identity;
  };
  struct News {
    std::string principal;           // empty: for everybody
    std::vector<std::string> roots;  // in which projects it stands
    std::string text;
  };
  void follow();
  void on_ready();
  void look();
  void tell(const std::vector<News>& news);

  session::Store& store_;
  Executor& executor_;
  Pool& pool_;
  std::vector<Stream> streams_;
  bool following_ = false;
  std::function<void()> on_first_listener_;
  std::atomic<bool> looking_ = false;
  std::mutex mutex_;
  std::unique_ptr<session::Subscription> subscription_;  // guarded by mutex_
};

}  // namespace holdfast::web
