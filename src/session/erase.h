#pragma once

// Redaction and purge: content that goes for good (threads-and-research §13, design 8.9).
//
// Old bytes do not remain in the files of the store: rows, index, keyed values that repeat the text (stored answers of tasks and
// streams), write-ahead log. Who may do it is the gate's question.

#include "session/store.h"

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::session {

// Values that belong to one session and go with it: key "<session id>/…".
inline constexpr std::string_view kSessionValues = "session";

// Where the protocol keeps answers for a while, and with them texts of sessions. `whole`: it is emptied, because pieces of a text
// cannot be recognised there.
struct EchoSpace {
  std::string_view space;
  bool whole;
};
inline constexpr std::array kEchoSpaces = {EchoSpace{"mcp.event", true}, EchoSpace{"mcp.task", false},
                                           EchoSpace{"mcp.task_inbox", true}};

struct Redaction {
  std::vector<std::string> entry_ids;  // members `id` of entries' data (msg-…, src-…)
  std::string pattern;                 // literal text, or an RE2 expression; replaced wherever it stands
  bool regex = false;
};
// invalid: nothing named, an expression that is none, one that matches the empty text.
Result<void> check_redaction(const Redaction& redaction);

// not_found: the session has no entry of one of these ids. Asked before anybody is, so that nobody answers for nothing.
Result<void> check_named_entries(Reader& reader, std::string_view session, const Redaction& redaction);

struct Redacted {
  std::map<std::string, std::size_t, std::less<>> counts;  // by kind of text: message, source, finding, report, title, query, …
  std::int64_t rev = 0;
};
Result<Redacted> redact(Transaction& transaction, std::string_view session, const Redaction& redaction);

// Everything of it but a tombstone, with its notices, values of kSessionValues and stored answers.
Result<void> purge(Transaction& transaction, std::string_view session, std::string_view reason);

}  // namespace holdfast::session
