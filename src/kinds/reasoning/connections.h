#pragma once

// What a connection remembers between its calls, and who has which session open (A1, A2, A4; design 8.15).
//
// Kept as keyed values of the store, so that any process can serve the next call of a connection and see the others. A request
// without a connection (protocol 2026-07-28) has no row and never makes a session "in use". A row of stdio names its process and
// is worth nothing once that has ended.

#include "session/store.h"

#include <functional>
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

// From where a call comes: all that the rules of attaching need to know about the caller.
inline constexpr Millis kAttachWindow = 24LL * 3600 * 1000;  // A2

struct Situation {
  std::string principal;
  Connection connection;  // id empty: the request has none
  std::string run;        // what thoughts of this caller are marked with (A4)
  std::string client;     // "name/version"
  // Projects the call is about, canonical: one, or all that the client offers when none is bound. Empty: none resolves.
  std::vector<std::string> roots;
  bool auto_attach = true;  // setting
  Millis attach_window = kAttachWindow;
  std::string agent_id, agent_name;  // the server's default author
  // Is this holder still there: an open stream, a running request, a living stdio process? May be empty: nobody is.
  std::function<bool(const Holder&)> is_attached;

  bool has_connection() const { return !connection.id.empty(); }
};

// A session of the situation's principal that is a reasoning session and not deleted. Errors: not_found, ambiguous, invalid
// (another kind), refused.
Result<session::SessionRecord> find_reasoning(session::Reader& reader, const Situation& situation, std::string_view id_or_prefix);

// Makes it the connection's active session (empty: none), in this transaction. `seen_seq`: see Holder.
Result<void> set_active(session::Transaction& transaction, Connection& connection, const std::string& session,
                        std::int64_t seen_seq);

// A2's "in use": another connection has it open and is there, or has called since this one was opened.
Result<bool> is_in_use(session::Reader& reader, const Situation& situation, const std::string& session);

// The display name of a root: its last segment.
std::string name_of_root(const std::string& root);

}  // namespace holdfast::reasoning
