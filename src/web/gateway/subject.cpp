#include "web/gateway/subject.h"

#include "session/query/display.h"
#include "session/query/lookup.h"
#include "web/gateway/access_tokens.h"

namespace holdfast::web {

Result<Subject> find_subject(session::Store& store, const Transcripts& transcripts, const std::string& principal,
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
  const transcripts::Keeper* const keeper = transcripts.keeper;
  if (record.error().kind != ErrorKind::not_found || !keeper || principal != kLocal) return fail(std::move(record).error());
  // What is no start of an id of theirs may well be one of ours that is not there.
  const auto is_unknown = [](const Error& error) {
    return error.kind == ErrorKind::not_found || error.kind == ErrorKind::invalid;
  };
  subject.kind = session::kTranscript;
  const auto name_after = [&](const transcripts::SessionLine& line) {
    subject.title = line.custom_title.empty() ? line.title : line.custom_title;
  };
  if (auto transcript = keeper->homes().find(id_or_prefix)) {
    subject.id = transcript->id();
    if (auto line = keeper->homes().line_of(*transcript)) name_after(*line);
    subject.transcript = std::move(*transcript);
  } else if (!is_unknown(transcript.error())) {
    return fail(std::move(transcript).error());
  } else if (auto kept = transcripts.kept->find(id_or_prefix)) {
    subject.id = kept->session.id;
    name_after(kept->line);
    subject.kept = std::move(*kept);
  } else {
    return fail(is_unknown(kept.error()) ? std::move(record).error() : std::move(kept).error());
  }
  if (subject.title.empty()) subject.title = "untitled transcript";
  return subject;
}

Transcripts transcripts_of(const transcripts::Keeper* keeper) {
  return {keeper, keeper ? std::make_shared<transcripts::KeptLines>(*keeper) : nullptr};
}

}  // namespace holdfast::web
