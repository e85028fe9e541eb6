#pragma once

// From where a call comes: all that the rules of attaching need to know about the caller.

#include "kinds/reasoning/connections.h"

#include <functional>

namespace holdfast::reasoning {

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
