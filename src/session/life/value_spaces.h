#pragma once

// Every namespace of keyed values, and what an erasure does with it (erase.h).
//
// The store takes no value of a namespace that is not listed here: a new one cannot be forgotten by the eraser, because whoever
// adds it has to say first what it holds.

#include "session/kinds.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace holdfast::session {

// Values that belong to one session and go with it: key "<session id>/…".
inline constexpr std::string_view kSessionValues = "session";

enum class Holds {
  no_text,  // ids, hashes, times, names of tokens and processes: nothing anybody said in a session
  own,      // what one session has: its key is the session's id, or begins with it and a slash
  naming,   // a text of its value is the session's id, or its key ends with a slash and the id
  answers,  // the id may stand anywhere in it, and texts as JSON within JSON: a row is erased where others would be cleaned
  passing,  // pieces of texts that serve for minutes and cannot be recognised: all of it goes
};

struct ValueSpace {
  std::string_view name;
  Holds holds;
  std::string_view kind = {};  // of the sessions that it is about; empty: any
};

inline constexpr std::array kValueSpaces = {
    ValueSpace{kSessionValues, Holds::own},
    ValueSpace{"session.damage", Holds::own},
    ValueSpace{"notice", Holds::own},
    ValueSpace{"notice.open", Holds::no_text},  // keys of notices, which know their rows here (notices.cpp)
    ValueSpace{"notice.show", Holds::no_text},
    ValueSpace{"retention", Holds::no_text},
    ValueSpace{"gate.used", Holds::no_text},
    ValueSpace{"mcp.event", Holds::passing},   // what was sent to clients
    ValueSpace{"mcp.letter", Holds::passing},  // what clients answered, on its way to the process that asked
    ValueSpace{"mcp.task", Holds::answers},
    ValueSpace{"mcp.stream", Holds::no_text},
    ValueSpace{"mcp.session", Holds::no_text},
    ValueSpace{"mcp.session_stream", Holds::no_text},
    ValueSpace{"mcp.node", Holds::no_text},
    ValueSpace{"http.token", Holds::no_text},
    ValueSpace{"http.login", Holds::no_text},
    ValueSpace{"http.session", Holds::no_text},
    ValueSpace{"http.server", Holds::no_text},
    ValueSpace{"reasoning.connections", Holds::naming, kReasoning},  // roots and positions of those that have it open
    ValueSpace{"reasoning.holders", Holds::own, kReasoning},
    ValueSpace{"reasoning.aliases", Holds::naming, kReasoning},
    ValueSpace{"reasoning.begun", Holds::naming, kReasoning},
    ValueSpace{"reasoning.imported", Holds::no_text},
    ValueSpace{"threads.first_message", Holds::naming, kThread},
    ValueSpace{"research.services", Holds::no_text},  // names of services, and until when each is left alone
    ValueSpace{"documents.handle", Holds::naming, kDocument},
    ValueSpace{"documents.read", Holds::naming, kDocument},
    ValueSpace{"documents.change", Holds::naming, kDocument},     // whose change it is
    ValueSpace{"documents.shared", Holds::no_text},               // how many sessions a day readers had; the last sweep
    ValueSpace{"documents.accepted", Holds::passing, kDocument},  // whose changes wait for a commit
    ValueSpace{"transcripts.archives", Holds::no_text},           // of files that other programs own: no session of the store
    ValueSpace{"transcripts.copies", Holds::no_text},
    ValueSpace{"transcripts.sessions", Holds::no_text},
    ValueSpace{"transcripts.lineage-imports", Holds::no_text},
};

constexpr bool is_value_space(std::string_view name) {
  return std::ranges::find(kValueSpaces, name, &ValueSpace::name) != kValueSpaces.end();
}

}  // namespace holdfast::session
