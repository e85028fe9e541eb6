#pragma once

// The parts of an archived session as JSON, and back. Internal to session_archive.cpp.

#include "session/session_archive.h"

namespace holdfast::session {

JsonObject archived_record(const SessionRecord& record);
JsonObject archived_entry(const Entry& entry);
JsonObject archived_lineage(const LineageEvent& event);

// Errors: corrupt (a field is missing or of another type). Sizes are checked by check_record and check_entry.
Result<SessionRecord> record_from_archive(const JsonObject& json);
Result<NewEntry> entry_from_archive(const JsonObject& json);
Result<LineageEvent> lineage_from_archive(const JsonObject& json);

// Every text in it but ids, kinds, words and times: what a person or a model wrote.
void filter_archived(Json& value, const TextFilter& filter);

}  // namespace holdfast::session
