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

// What a turn only refers to: a record as it stands in the file, the saved output of a tool, an image.
//
//   GET /sessions/{id}/record?line=7 or ?file=tool-results/x.txt   as text, in parts
//   GET /sessions/{id}/raw?…&part=0                                the bytes, for download
//   GET /sessions/{id}/image?ref=7/0                               png, jpeg, gif, webp: nothing else is ever served
Result<net::HttpResponse> record_page(const Reader& reader, const PageRequest& request);
Result<net::HttpResponse> raw_record(const Reader& reader, const PageRequest& request);
Result<net::HttpResponse> image_of_session(const Reader& reader, const PageRequest& request);

// `/sessions/ID/family`: where a session came from and what became of it.
Result<net::HttpResponse> family_page(session::Store& store, const Transcripts& transcripts, const PageRequest& request);
// `/sessions/ID/graph`: the thoughts of a line of reasoning; grows while one looks. Errors: invalid for another kind.
Result<net::HttpResponse> graph_page(session::Store& store, const Transcripts& transcripts, const PageRequest& request);

}  // namespace holdfast::web
