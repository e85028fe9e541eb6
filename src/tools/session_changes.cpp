// update, pin, unpin, archive, unarchive, delete, restore: changes of the record that are the same for every kind.

#include "tools/core_operations.h"
#include "tools/record_changes.h"
#include "tools/session_arguments.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::tools {

namespace {

using session::SessionRecord;
using session::Visibility;

template <class T>
bool assign(T& field, T value) {
  if (field == value) return false;
  field = std::move(value);
  return true;
}

bool edit_tags(SessionRecord& record, const JsonObject& arguments) {
  std::vector<std::string> tags = arguments.contains("tags") ? texts_of(arguments, "tags") : record.tags;
  for (const std::string& tag : texts_of(arguments, "addTags")) tags.push_back(tag);
  for (const std::string& tag : texts_of(arguments, "removeTags")) std::erase(tags, tag);
  std::ranges::sort(tags);
  tags.erase(std::ranges::unique(tags).begin(), tags.end());
  return assign(record.tags, std::move(tags));
}

Result<SessionAnswer> update(SessionCall& call) {
  const JsonObject& arguments = call.arguments();
  if (arguments.contains("status"))
    return fail(ErrorKind::invalid, fmt::format("the status of a {} session cannot be set here", call.record->kind), {},
                "invalid_argument");
  return change_record(call,
                       [&](SessionRecord& record, Millis) -> Result<bool> { return edit_common_fields(record, arguments); });
}

Result<SessionAnswer> set_pinned(SessionCall& call, bool pinned) {
  return change_record(call, [pinned](SessionRecord& record, Millis) -> Result<bool> { return assign(record.pinned, pinned); });
}

Result<bool> refuse_deleted(const SessionRecord& record) {
  if (record.visibility != Visibility::deleted) return true;
  return fail(ErrorKind::refused, "the session is deleted", "restore it first");
}

Result<SessionAnswer> archive(SessionCall& call) {
  return change_record(call, archive_record);
}

Result<SessionAnswer> unarchive(SessionCall& call) {
  return change_record(call, [](SessionRecord& record, Millis) -> Result<bool> {
    HF_CHECK(refuse_deleted(record));
    if (record.visibility == Visibility::live) return false;
    if (!record.prior_status.empty()) record.status = record.prior_status;
    record.visibility = Visibility::live;
    record.archived_at.reset();
    return true;
  });
}

// Soft: it can be brought back until it is purged (design 8.7).
Result<SessionAnswer> remove(SessionCall& call) {
  return change_record(call, [](SessionRecord& record, Millis now) -> Result<bool> {
    if (record.visibility == Visibility::deleted) return false;
    record.prior_status = record.status;
    record.prior_visibility = record.visibility;
    record.visibility = Visibility::deleted;
    record.deleted_at = now;
    return true;
  });
}

Result<SessionAnswer> restore(SessionCall& call) {
  return change_record(call, [](SessionRecord& record, Millis) -> Result<bool> {
    if (record.visibility != Visibility::deleted) return false;
    if (!record.prior_status.empty()) record.status = record.prior_status;
    record.visibility = record.prior_visibility;
    record.deleted_at.reset();
    return true;
  });
}

JsonObject tag_list() {
  return {{"type", JsonArray{"string", "array"}}, {"items", JsonObject{{"type", "string"}}}};
}

}  // namespace

Result<bool> archive_record(SessionRecord& record, Millis now) {
  HF_CHECK(refuse_deleted(record));
  if (record.visibility == Visibility::archived) return false;
  record.prior_status = record.status;
  record.prior_visibility = record.visibility;
  record.visibility = Visibility::archived;
  record.archived_at = now;
  return true;
}

Result<SessionAnswer> change_record(SessionCall& call, const std::function<Result<bool>(SessionRecord&, Millis now)>& edit) {
  struct Changed {
    SessionRecord record;
    bool changed;
  };
  const std::optional<std::int64_t> expected = find_int(call.arguments(), "expectedRev");
  auto done = call.store.write([&](session::Transaction& transaction) -> Result<Changed> {
    HF_TRY(SessionRecord record, transaction.get(call.record->id));
    if (expected && *expected != record.rev)
      return fail(ErrorKind::conflict, fmt::format("the session is at rev {}, not {}", record.rev, *expected),
                  "get it again and decide anew");
    HF_TRY(const bool changed, edit(record, transaction.now()));
    if (!changed) return Changed{std::move(record), false};
    HF_TRY(SessionRecord stored, transaction.update(std::move(record)));
    return Changed{std::move(stored), true};
  });
  if (!done) return fail(std::move(done).error());
  return SessionAnswer{{{"session", call.operations.item(done->record, call.now)}, {"changed", done->changed}}, {}, false};
}

bool edit_common_fields(SessionRecord& record, const JsonObject& arguments) {
  bool changed = false;
  if (auto title = find_string(arguments, "title")) changed |= assign(record.title, std::string(*title));
  if (auto text = find_string(arguments, "description")) changed |= assign(record.description, std::string(*text));
  if (auto pinned = find_bool(arguments, "pinned")) changed |= assign(record.pinned, *pinned);
  changed |= edit_tags(record, arguments);
  return changed;
}

void add_change_operations(SessionOperations& operations) {
  using enum SessionOperation::Session;
  operations.add({"update", {}, required, update});
  operations.add({"pin", {}, required, [](SessionCall& call) { return set_pinned(call, true); }});
  operations.add({"unpin", {}, required, [](SessionCall& call) { return set_pinned(call, false); }});
  operations.add({"archive", {}, required, archive});
  operations.add({"unarchive", {}, required, unarchive});
  operations.add({"delete", {}, required, remove});
  operations.add({"restore", {}, required, restore});

  operations.add_argument("title", {{"type", "string"}});
  operations.add_argument("description", {{"type", "string"}});
  operations.add_argument("addTags", tag_list());
  operations.add_argument("removeTags", tag_list());
  operations.add_argument("expectedRev", {{"type", "integer"}, {"description", "refuse the change when rev differs"}});
}

}  // namespace holdfast::tools
