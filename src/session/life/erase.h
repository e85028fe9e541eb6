#pragma once

// Redaction and purge: content that goes for good (threads-and-research §13, design 8.9).
//
// Old bytes do not remain in the files of the store: rows, index, keyed values that hold the text or say whose it was
// (value_spaces.h lists them all), write-ahead log. Who may do it is the gate's question.

#include "session/life/value_spaces.h"
#include "session/store.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::session {

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

// Everything of it but a tombstone, with its notices and what keyed values say of it.
Result<void> purge(Transaction& transaction, std::string_view session, std::string_view reason);

}  // namespace holdfast::session
