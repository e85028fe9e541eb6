#pragma once

// The tools that find sessions (transcript-archive §10): search_sessions, list_recent_sessions, get_session_detail.
//
// Transcripts are the files of the user who runs this program: another principal searches and lists its own sessions of the store
// alone. They change nothing.

#include "mcp/server/server.h"
#include "session/query/finder.h"
#include "session/query/store_view.h"
#include "tools/project_root.h"
#include "tools/transcripts/transcript_tools.h"

namespace holdfast::tools {

// What finds them; made at first use, since most connections never search.
struct SearchRoom {
  struct Engine {
    session::Finder* finder = nullptr;
    search::PassageSources* sources = nullptr;
  };
  std::function<Result<Engine>()> engine;
};

// Everything passed by reference must outlive the server.
Result<void> add_search_tools(mcp::Server& server, const session::SharedStore& stores, const CallRoom& calls,
                              const SearchRoom& room);

}  // namespace holdfast::tools
