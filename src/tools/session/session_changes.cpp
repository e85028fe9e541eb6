// update, pin, unpin, archive, unarchive, restore: changes of the record that are the same for every kind. What destroys is in
// session_gate.cpp.

#include "tools/documents/moves.h"
#include "tools/session/core_operations.h"
#include "tools/session/record_changes.h"
#include "tools/session/session_arguments.h"
#include "tools/session/session_errors.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::tools {

namespace {

using session::SessionRecord;

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

Result<SessionAnswer> update_record(SessionCall& call) {
  const JsonObject& arguments = call.arguments();
  if (arguments.contains("status"))
    return fail(ErrorKind::invalid, fmt::format("the status of a {} session cannot be set here", call.record->kind), {},
                "invalid_argument");
  return change_record(call,
                       [&](SessionRecord& record, Millis) -> Result<bool> { return edit_common_fields(record, arguments); });
}

SessionOperation move_operation(const char* name) {
  return {
      name, {}, SessionOperation::Session::required, [move = std::string_view(name)](SessionCall& call) -> Result<SessionAnswer> {
        auto moved = make_move(call.store, call.record->id, move, find_int(call.arguments(), "expectedRev"));
        if (!moved) return fail(in_words_of(call.record->kind, std::move(moved).error()));
        return SessionAnswer{
            {{"session", call.operations.item(moved->record, call.now)}, {"changed", moved->changed}}, {}, false};
      }};
}

JsonObject tag_list() {
  return {{"type", JsonArray{"string", "array"}}, {"items", JsonObject{{"type", "string"}}}};
}

}  // namespace

Result<SessionAnswer> change_record(SessionCall& call, const RecordEdit& edit, const RecordMove& then) {
  const std::optional<std::int64_t> expected = find_int(call.arguments(), "expectedRev");
  const std::optional<bool> pinned = find_bool(call.arguments(), "pinned");
  auto done = call.store.write([&](session::Transaction& transaction) -> Result<session::Moved> {
    HF_TRY(SessionRecord record, transaction.get(call.record->id));
    if (expected && *expected != record.rev)
      return fail(ErrorKind::conflict, fmt::format("the session is at rev {}, not {}", record.rev, *expected),
                  "get it again and decide anew");
    session::Moved outcome{record, false};
    HF_TRY(outcome.changed, edit(record, transaction.now()));
    if (outcome.changed) {
      HF_TRY(outcome.record, transaction.update(std::move(record)));
    }
    const auto follow = [&](Result<session::Moved> moved) -> Result<void> {
      if (!moved) return fail(in_words_of(call.record->kind, std::move(moved).error()));
      outcome = {std::move(moved->record), outcome.changed || moved->changed};
      return {};
    };
    if (pinned) HF_CHECK(follow(session::set_pinned(transaction, outcome.record, *pinned)));
    if (then) HF_CHECK(follow(then(transaction, outcome.record)));
    return outcome;
  });
  if (!done) return fail(std::move(done).error());
  return SessionAnswer{{{"session", call.operations.item(done->record, call.now)}, {"changed", done->changed}}, {}, false};
}

bool edit_common_fields(SessionRecord& record, const JsonObject& arguments) {
  bool changed = false;
  if (auto title = find_string(arguments, "title")) changed |= assign(record.title, std::string(*title));
  if (auto text = find_string(arguments, "description")) changed |= assign(record.description, std::string(*text));
  changed |= edit_tags(record, arguments);
  return changed;
}

void add_change_operations(SessionOperations& operations) {
  operations.add({"update", {}, SessionOperation::Session::required, update_record});
  for (const char* move : {"pin", "unpin", "archive", "unarchive", "restore"}) operations.add(move_operation(move));

  operations.add_argument("title", {{"type", "string"}});
  operations.add_argument("description", {{"type", "string"}});
  operations.add_argument("addTags", tag_list());
  operations.add_argument("removeTags", tag_list());
  operations.add_argument("expectedRev", {{"type", "integer"}, {"description", "refuse the change when rev differs"}});
}

}  // namespace holdfast::tools
