#pragma once

// What a connection remembers between its calls, and who has which session open (A1, A2, A4; design 8.15).
//
// Kept as keyed values of the store, so that any process can serve the next call of a connection and see the others. A request
// without a connection (protocol 2026-07-28) has no row and never makes a session "in use". A row of stdio names its process and
// is worth nothing once that has ended.

#include "session/store.h"

#include <optional>
#include <string>
#include <vector>

namespace holdfast::reasoning {

inline constexpr Millis kConnectionIdle = 7LL * 24 * 3600 * 1000;  // as long as a legacy session lives (design 8.11)

struct OfferedRoot {
  std::string uri;  // canonical
  std::string name;
};

struct Connection {
  std::string id;  // the same for no two connections, also of other processes; empty: there is none
  std::string principal;
  std::string transport;  // "stdio", "http"
  std::string owner;      // the process that serves it
  Millis opened_at = 0;
  std::string active_session;
  // Once it has closed or started a session of its own accord, a bare thought is no longer attached to another's (A2).
  bool may_attach = true;
  std::string bound_root;                                        // canonical
  std::string position_project, position_task, position_aspect;  // navigate
  std::optional<std::vector<OfferedRoot>> roots;                 // what the client said; absent: never asked
  bool roots_unavailable = false;                                // it stayed silent: not asked again
};

// nullopt: not seen before (or idle for too long).
Result<std::optional<Connection>> load_connection(session::Reader& reader, const std::string& id);
// Adds what is stored about it, if it is this principal's.
Result<void> recall_connection(session::Reader& reader, Connection& connection);
Result<void> save_connection(session::Transaction& transaction, const Connection& connection);
// It has ended: what it remembered goes, and it no longer has a session open.
Result<void> forget_connection(session::Transaction& transaction, const std::string& id);

// One connection that has a session as its active one.
struct Holder {
  std::string connection;
  std::string transport, owner;
  Millis last_call_at = 0;
  std::int64_t seen_seq = 0;  // the session's last entry when it called last
};
Result<std::vector<Holder>> holders_of(session::Reader& reader, const std::string& session);
Result<std::optional<Holder>> holder(session::Reader& reader, const std::string& session, const std::string& connection);
Result<void> hold(session::Transaction& transaction, const std::string& session, const Holder& holder);
Result<void> let_go(session::Transaction& transaction, const std::string& session, const std::string& connection);

}  // namespace holdfast::reasoning
