#include "session/life/lifecycle.h"

#include "session/life/kind_life.h"
#include "session/life/notices.h"
#include "session/query/display.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace holdfast::session {

namespace {

Result<void> refuse_deleted(const SessionRecord& record) {
  if (record.visibility != Visibility::deleted) return {};
  return fail(ErrorKind::refused, fmt::format("{} is deleted", record.id), "restore it first", "DELETED");
}

std::unexpected<Error> no_such_move(const SessionRecord& record, std::string_view move) {
  return fail(ErrorKind::refused, fmt::format("{} is {} and cannot be moved by {}", record.id, shown_status(record), move),
              fmt::format("possible now: {}", fmt::join(allowed_moves(record), ", ")), "INVALID_STATE_TRANSITION");
}

Result<Moved> store(Transaction& transaction, SessionRecord record, Touch touch) {
  HF_TRY(SessionRecord stored, transaction.update(std::move(record), touch));
  // Whatever was announced counted from another instant.
  HF_CHECK(close_notices(transaction, stored, std::nullopt));
  return Moved{std::move(stored), true};
}

// The clocks of a session that comes back start anew; otherwise the next sweep would take it away again.
void restart_clocks(SessionRecord& record, Millis now) {
  if (record.completed_at) record.retention_anchor_at = now;
  record.archived_at = record.visibility == Visibility::archived ? std::optional(now) : std::nullopt;
}

}  // namespace

Result<Moved> archive(Transaction& transaction, const SessionRecord& record) {
  HF_CHECK(refuse_deleted(record));
  if (record.visibility == Visibility::archived) return Moved{record, false};
  if (is_busy(record)) return no_such_move(record, "archive");
  SessionRecord moved = record;
  moved.prior_status = record.status;
  moved.prior_visibility = record.visibility;
  moved.visibility = Visibility::archived;
  moved.archived_at = transaction.now();
  return store(transaction, std::move(moved), Touch::change);
}

Result<Moved> unarchive(Transaction& transaction, const SessionRecord& record) {
  HF_CHECK(refuse_deleted(record));
  if (record.visibility == Visibility::live) return Moved{record, false};
  SessionRecord moved = record;
  if (!record.prior_status.empty()) moved.status = record.prior_status;
  moved.visibility = Visibility::live;
  restart_clocks(moved, transaction.now());
  return store(transaction, std::move(moved), Touch::activity);
}

Result<Moved> soft_delete(Transaction& transaction, const SessionRecord& record) {
  if (record.visibility == Visibility::deleted) return Moved{record, false};
  SessionRecord moved = record;
  if (is_busy(record)) moved.status = life_of(record.kind).ended;
  moved.prior_status = moved.status;
  moved.prior_visibility = record.visibility;
  moved.visibility = Visibility::deleted;
  moved.deleted_at = transaction.now();
  return store(transaction, std::move(moved), Touch::change);
}

Result<Moved> restore(Transaction& transaction, const SessionRecord& record) {
  if (record.visibility != Visibility::deleted) return Moved{record, false};
  SessionRecord moved = record;
  if (!record.prior_status.empty()) moved.status = record.prior_status;
  moved.visibility = record.prior_visibility;
  moved.deleted_at.reset();
  restart_clocks(moved, transaction.now());
  return store(transaction, std::move(moved), Touch::activity);
}

Result<Moved> set_pinned(Transaction& transaction, const SessionRecord& record, bool pinned) {
  if (record.pinned == pinned) return Moved{record, false};
  SessionRecord moved = record;
  moved.pinned = pinned;
  return store(transaction, std::move(moved), Touch::change);
}

std::vector<std::string_view> allowed_moves(const SessionRecord& record) {
  std::vector<std::string_view> moves;
  if (record.visibility == Visibility::deleted) {
    moves = {"restore", "purge"};
  } else {
    if (record.visibility == Visibility::archived) moves.push_back("unarchive");
    if (record.visibility == Visibility::live && !is_busy(record)) moves.push_back("archive");
    moves.push_back("delete");
    moves.push_back("purge");
  }
  moves.push_back(record.pinned ? "unpin" : "pin");
  return moves;
}

}  // namespace holdfast::session
