#pragma once

// GET /sessions/{id}: one session, read comfortably, whatever its kind and length.
//
// A page is a window of turns; `line` opens it anywhere, `before` ends it there, `branch` and `agent` choose another conversation
// of the same transcript. Windows follow each other by links; the script (assets/reader.js) fetches them as one scrolls and adds
// keys. Nothing of a session is in memory but its index (kinds/transcripts/reading/transcript_reading.h) and the window.

#include "catalogue/files.h"
#include "web/gateway/subject.h"
#include "web/pages/page.h"

namespace holdfast::web {

// What sessions are read with; shared by the pages about one. Everything it refers to outlives it.
struct Reader {
  session::Store& store;
  Transcripts transcripts;
  reading::EntryKinds kinds;
  std::shared_ptr<transcripts::ReadingCache> cache;
};

struct OpenedSession {
  Subject subject;
  std::unique_ptr<reading::Reading> reading;
};
// The conversation that a request is about: the session of its path, and the branch or subagent of its query. Errors: not_found,
// ambiguous, those of reading.
Result<OpenedSession> open_session(const Reader& reader, const PageRequest& request);

// A number of the query; 0 when there is none.
std::uint64_t number_in(const Fields& query, std::string_view name);

Result<net::HttpResponse> reader_page(const Reader& reader, const PageRequest& request);

}  // namespace holdfast::web
