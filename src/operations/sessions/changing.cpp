// update, pin, unpin, archive, unarchive, restore: changes of the record that are the same for every kind.

#include "operations/sessions/record_changes.h"
#include "operations/sessions/session_item.h"
#include "operations/sessions/session_parameters.h"
#include "operations/table.h"
#include "session/kinds.h"
#include "session/query/display.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace holdfast::operations {

namespace {

using session::SessionRecord;
using enum Parameter::Type;

template <class T>
bool assign(T& field, T value) {
  if (field == value) return false;
  field = std::move(value);
  return true;
}

bool edit_tags(SessionRecord& record, const Given& given) {
  std::vector<std::string> tags = given.has("tags") ? given.texts("tags") : record.tags;
  for (const std::string& tag : given.texts("add_tags")) tags.push_back(tag);
  for (const std::string& tag : given.texts("remove_tags")) std::erase(tags, tag);
  std::ranges::sort(tags);
  tags.erase(std::ranges::unique(tags).begin(), tags.end());
  return assign(record.tags, std::move(tags));
}

Result<Facts> update(Context& context, const Given& given) {
  HF_TRY(const SessionRecord record, record_named(context, given.text("session")));
  return change_record(context, given, record.id,
                       [&](SessionRecord& now, Millis) -> Result<bool> { return edit_common_fields(now, given); });
}

constexpr std::array kStepParameters{kRecord, kExpectedRev};

using Move = Result<session::Moved> (*)(session::Transaction&, const SessionRecord&);

template <Move move>
Result<Facts> make(Context& context, const Given& given) {
  HF_TRY(const SessionRecord record, record_named(context, given.text("session")));
  return change_record(context, given, record.id, [](SessionRecord&, Millis) -> Result<bool> { return false; }, move);
}

template <bool pinned>
Result<session::Moved> pin(session::Transaction& transaction, const SessionRecord& record) {
  return session::set_pinned(transaction, record, pinned);
}

constexpr std::array kChanging{
    changes("sessions update", "change title, description, tags or pin", kUpdateParameters, update),
    changes("sessions pin", "nothing happens to it by itself", kStepParameters, make<pin<true>>),
    changes("sessions unpin", "the clocks count again", kStepParameters, make<pin<false>>),
    changes("sessions archive", "put it aside", kStepParameters, make<session::archive>),
    changes("sessions unarchive", "take it back from the archive", kStepParameters, make<session::unarchive>),
    changes("sessions restore", "bring a deleted one back", kStepParameters, make<session::restore>),
};

}  // namespace

Result<SessionRecord> record_named(Context& context, const std::string& id) {
  HF_TRY(const auto found, catalogue::find(context.asker(), id));
  if (found.record()) return *found.record();
  return fail(ErrorKind::invalid, fmt::format("{} is a transcript: its client owns it", found.id()),
              "operations on transcripts are info, clone, move, delete and archive", "unsupported_operation");
}

Facts changed_facts(Context& context, const session::Moved& moved) {
  return {{"session", session_item(moved.record, context.now(), context.policy())}, {"changed", moved.changed}};
}

Result<Facts> change_record(Context& context, const Given& given, const std::string& id, const RecordEdit& edit,
                            const RecordMove& then) {
  const std::optional<std::int64_t> expected = given.number("expected_rev");
  const std::optional<bool> pinned = given.choice("pinned");
  HF_TRY(session::Store* const store, context.store(false));
  HF_TRY(const session::Moved done, store->write([&](session::Transaction& transaction) -> Result<session::Moved> {
    HF_TRY(SessionRecord record, transaction.get(id));
    if (expected && *expected != record.rev)
      return fail(ErrorKind::conflict, fmt::format("the session is at rev {}, not {}", record.rev, *expected),
                  "get it again and decide anew");
    session::Moved outcome{record, false};
    HF_TRY(outcome.changed, edit(record, transaction.now()));
    if (outcome.changed) {
      HF_TRY(outcome.record, transaction.update(std::move(record)));
    }
    const auto follow = [&](Result<session::Moved> moved) -> Result<void> {
      if (!moved) return fail(std::move(moved).error());
      outcome = {std::move(moved->record), outcome.changed || moved->changed};
      return {};
    };
    if (pinned) HF_CHECK(follow(session::set_pinned(transaction, outcome.record, *pinned)));
    if (then) HF_CHECK(follow(then(transaction, outcome.record)));
    return outcome;
  }));
  return changed_facts(context, done);
}

Result<void> check_move(const SessionRecord& record, std::string_view move) {
  const std::vector<std::string_view> allowed = session::allowed_moves(record);
  if (std::ranges::find(allowed, move) != allowed.end()) return {};
  return fail(
      ErrorKind::refused, fmt::format("{} is {}: it cannot be changed by {}", record.id, session::shown_status(record), move),
      allowed.empty() ? std::string() : fmt::format("possible now: {}", fmt::join(allowed, ", ")), "INVALID_STATE_TRANSITION");
}

bool edit_common_fields(SessionRecord& record, const Given& given) {
  bool changed = false;
  if (given.has("title")) changed |= assign(record.title, given.text("title"));
  if (given.has("description")) changed |= assign(record.description, given.text("description"));
  changed |= edit_tags(record, given);
  return changed;
}

std::span<const Operation> changing_operations() {
  return kChanging;
}

}  // namespace holdfast::operations
