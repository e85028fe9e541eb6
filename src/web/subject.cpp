#include "web/subject.h"

#include "session/display.h"
#include "session/lookup.h"
#include "web/access_tokens.h"

namespace holdfast::web {

Result<Subject> find_subject(session::Store& store, const transcripts::Keeper* keeper, const std::string& principal,
                             const std::string& id_or_prefix) {
  Subject subject;
  auto record = session::find_session(store, principal, id_or_prefix);
  if (record) {
    subject.id = record->id;
    subject.kind = record->kind;
    subject.title = session::shown_title(*record);
    subject.record = std::move(*record);
    return subject;
  }
  if (record.error().kind != ErrorKind::not_found || !keeper || principal != kLocal) return fail(std::move(record).error());
  auto transcript = keeper->homes().find(id_or_prefix);
  if (!transcript) {
    // What is no start of an id of theirs may well be one of ours that is not there.
    const bool unknown = transcript.error().kind == ErrorKind::not_found || transcript.error().kind == ErrorKind::invalid;
    return fail(unknown ? std::move(record).error() : std::move(transcript).error());
  }
  subject.id = transcript->id();
  subject.kind = session::kTranscript;
  if (auto line = keeper->homes().line_of(*transcript))
    subject.title = line->custom_title.empty() ? line->title : line->custom_title;
  if (subject.title.empty()) subject.title = "untitled transcript";
  subject.transcript = std::move(*transcript);
  return subject;
}

}  // namespace holdfast::web
