#include "catalogue/found.h"

#include "session/kinds.h"

namespace holdfast::catalogue {

std::string_view name_of(Place place) {
  switch (place) {
    case Place::store:
      return "in the store";
    case Place::disk:
      return "on disk";
    case Place::guard:
      return "in the guard";
    case Place::backup:
      return "in a backup";
  }
  return "";
}

const std::string& Found::id() const {
  if (record()) return record()->id;
  if (on_disk()) return on_disk()->id();
  return in_guard() ? in_guard()->id : in_backup()->session_id;
}

Millis Found::changed_at() const {
  if (record()) return record()->updated_at;
  if (on_disk()) return on_disk()->mtime();
  return in_guard() ? in_guard()->transcript.modified_at : in_backup()->made_at;
}

std::string_view Found::kind() const {
  return record() ? std::string_view(record()->kind) : session::kTranscript;
}

}  // namespace holdfast::catalogue
