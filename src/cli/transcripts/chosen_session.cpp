#include "cli/transcripts/chosen_session.h"

#include "session/query/lookup.h"

#include <fmt/format.h>

namespace holdfast::cli {

Result<ChosenSession> choose_session(const Context& context, const TranscriptWork& work, const std::string& id) {
  if (id.empty()) {
    HF_TRY(auto current, work.session(id));
    return ChosenSession{std::move(current)};
  }
  HF_TRY(const auto project, work.source_project());
  auto transcript = work.homes().find(id, project);
  if (!transcript && transcript.error().kind == ErrorKind::ambiguous) return fail(transcript.error());
  // A project to search in is about transcripts alone.
  if (project) {
    if (!transcript) return fail(transcript.error());
    return ChosenSession{*std::move(transcript)};
  }
  HF_TRY(session::Store* const store, work.keeper().store_to_read());
  Result<session::SessionRecord> record = fail(ErrorKind::not_found, fmt::format("there is no session {}", id));
  if (store) record = session::find_session(*store, context.settings.text("principal"), id);
  if (transcript && record)
    return fail(ErrorKind::ambiguous, fmt::format("{} fits several sessions", id),
                fmt::format("it could be {} (transcript), {} ({})", transcript->id(), record->id, record->kind));
  if (transcript) return ChosenSession{*std::move(transcript)};
  if (record) return ChosenSession{*std::move(record)};
  // A word that cannot begin the id of a transcript is judged by the store alone.
  const bool said_more = record.error().kind != ErrorKind::not_found || record.error().code == "gone" ||
                         transcript.error().kind == ErrorKind::invalid;
  return fail(said_more ? std::move(record).error() : std::move(transcript).error());
}

}  // namespace holdfast::cli
