#pragma once

// Beginning and ending a session.

#include "kinds/reasoning/append.h"

namespace holdfast::reasoning {

struct NewSession {
  std::string title, description, project, task, aspect, domain, opening;
  std::vector<std::string> tags;
  std::string root;  // canonical; empty: none
  JsonObject data;
};

// In a transaction of the caller's; nothing becomes active. `project` defaults to the root's name.
Result<session::SessionRecord> create_session(session::Transaction& transaction, const NewSession& wanted,
                                              const Situation& situation);

struct Started {
  session::SessionRecord record;
  std::string previous_session;
  std::vector<std::string> notices;
  struct Related {
    std::int64_t project_count = 0, task_count = 0, aspect_count = 0;
    std::vector<session::SessionRecord> sessions;  // at most five, newest first
  } related;
};
// init start_new: durable now, and the connection's active session. The one that was active stays as it is. Errors: invalid with
// code "ambiguous_root" when the client offers several roots and none is named.
Result<Started> start_session(session::Store& store, NewSession wanted, const Situation& situation);

struct Closed {
  session::SessionRecord record;
  JsonObject manifest;
};
// session close: completed (with manifest) or abandoned. Every connection that had it open lets go of it at its next call.
Result<Closed> close_session(session::Store& store, const std::string& id, std::string_view status, const Situation& situation);

// Closes the record, in a transaction of the caller's, and stores the manifest unless it is stored already: a session that is
// closed again, with nothing thought in between, keeps its own. The builder has seen a part of the session, or nothing.
Result<JsonObject> complete(session::Transaction& transaction, session::SessionRecord& record, ManifestBuilder builder,
                            std::string_view status);

}  // namespace holdfast::reasoning
