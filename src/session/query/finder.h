#pragma once

// The search over everything, as people and models ask for it: sessions of every kind with the places that answer.
//
// The one interface behind `holdfast search`, `holdfast trace`, the tools search_sessions and list_recent_sessions, and the page.
// What may be found is part of the question: a request that says nothing about it finds nothing.

#include "base/json/json.h"
#include "search/index/text_index.h"
#include "session/store.h"

#include <optional>
#include <string>
#include <vector>

namespace holdfast::session {

struct FindRequest {
  std::string text;  // as typed (parse_text_query); may be empty when a filter says enough
  bool as_typed = false;
  std::vector<std::string> kinds;  // empty: every kind, transcripts included
  std::string project;             // a path: sessions of this root (with the other working trees of its repository)
  std::optional<Millis> since, until;
  std::string branch, tool, model;
  std::vector<search::PassageRole> roles;
  std::string file;         // touched by a tool: an absolute path, or the end of one ("src/a.cpp")
  std::string session;      // in this one only
  std::string not_session;  // not in this one
  std::size_t limit = 20;   // sessions
  std::size_t per_session = 3;
  search::TextQuery::Order order = search::TextQuery::Order::best;
  // What may be seen of the store: the view of who asks. nullptr: nothing of it is searched.
  Store* store = nullptr;
  // Transcripts belong to the user who runs the program: whoever asks for somebody else leaves this as it is.
  bool transcripts = false;
};

struct FoundPlace {
  std::uint64_t line = 0;  // of the file, or seq of the entry; 0: the record itself (title, description)
  std::string source;      // key of the source: a subagent's file, a saved result
  search::PassageRole role = search::PassageRole::user;
  std::string tool;
  Millis time = 0;
  std::string snippet;
  std::vector<std::pair<std::size_t, std::size_t>> highlights;
};

struct FoundInSession {
  std::string id, kind, title, project, branch;
  std::string product;  // of a transcript: claude, codex
  std::string status;   // of a transcript: running, idle, kept
  Millis time = 0;      // last change
  std::uint64_t size = 0;
  std::string resume;  // the command that goes on with it; empty: none
  std::vector<FoundPlace> places;
};

struct FindResult {
  std::vector<FoundInSession> sessions;        // best first
  bool more = false;                           // sessions
  bool more_places = false;                    // in sessions that are named
  std::vector<search::Unreadable> unreadable;  // may hold more
  // Of the transcripts, when they were searched: how much this user has is for nobody else to know.
  struct Coverage {
    search::IndexState index;
    std::uint64_t bytes_scanned = 0;  // that were not in the index yet
  };
  std::optional<Coverage> coverage;
};

// The same fields for commands and tools.
JsonObject json_of(const FoundInSession& found);
JsonObject json_of(const FindResult& result);

class Finder {
 public:
  virtual ~Finder() = default;
  // Errors: invalid (nothing to look for, an unknown kind).
  virtual Result<FindResult> find(const FindRequest& request) = 0;
  // What can be filtered by: "tool:", "model:", "branch:", "file:" and what follows.
  virtual Result<std::vector<std::string>> attributes(std::string_view prefix, std::size_t limit) = 0;
  virtual Result<search::IndexState> index_state() = 0;
};

}  // namespace holdfast::session
