#include "session/store.h"

namespace holdfast::session {

Result<std::vector<SessionRecord>> Store::get_each(const std::vector<std::string>& ids) {
  std::vector<SessionRecord> found;
  for (const std::string& id : ids) {
    auto record = get(id);
    if (!record && record.error().kind == ErrorKind::not_found) continue;
    if (!record) return fail(std::move(record).error());
    found.push_back(*std::move(record));
  }
  return found;
}

Result<std::vector<Entry>> Store::entry_each(const std::vector<EntryPlace>& places) {
  std::vector<Entry> found;
  for (const EntryPlace& place : places) {
    auto read = entry(place.session, place.seq);
    if (!read && read.error().kind == ErrorKind::not_found) continue;
    if (!read) return fail(std::move(read).error());
    if (*read) found.push_back(**std::move(read));
  }
  return found;
}

}  // namespace holdfast::session
