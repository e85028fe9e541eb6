#include "kinds/research/run/find_run.h"

#include "session/kinds.h"

#include <fmt/format.h>

namespace holdfast::research {

Result<session::SessionRecord> find_run(session::Reader& reader, std::string_view principal, std::string_view id) {
  auto record = reader.get(id);
  if (!record && record.error().kind == ErrorKind::not_found) {
    const bool purged = record.error().code == "gone";
    return fail(ErrorKind::not_found, record.error().message, record.error().hint, purged ? "GONE" : "NOT_FOUND");
  }
  if (!record) return record;
  if (record->kind != session::kResearch || record->principal != principal)
    return fail(ErrorKind::not_found, fmt::format("there is no research run {}", id), "deep-research-list shows those there are",
                "NOT_FOUND");
  if (record->visibility == session::Visibility::deleted)
    return fail(ErrorKind::refused, fmt::format("{} is deleted", id), "deep-research-restore brings it back", "DELETED");
  return record;
}

}  // namespace holdfast::research
