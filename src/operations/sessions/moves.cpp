#include "operations/sessions/moves.h"

#include "session/query/display.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace holdfast::operations {

namespace {

Result<session::Moved> apply(session::Transaction& transaction, const session::SessionRecord& record, std::string_view move) {
  if (move == "archive") return session::archive(transaction, record);
  if (move == "unarchive") return session::unarchive(transaction, record);
  if (move == "restore") return session::restore(transaction, record);
  return session::set_pinned(transaction, record, move == "pin");
}

}  // namespace

Result<session::Moved> make_move(session::Store& store, std::string_view id, std::string_view move,
                                 std::optional<std::int64_t> expected_rev) {
  return store.write([&](session::Transaction& transaction) -> Result<session::Moved> {
    HF_TRY(session::SessionRecord record, transaction.get(id));
    if (expected_rev && *expected_rev != record.rev)
      return fail(ErrorKind::conflict, fmt::format("the session is at rev {}, not {}", record.rev, *expected_rev),
                  "get it again and decide anew");
    return apply(transaction, record, move);
  });
}

Result<void> check_move(const session::SessionRecord& record, std::string_view move) {
  const std::vector<std::string_view> allowed = session::allowed_moves(record);
  if (std::ranges::find(allowed, move) != allowed.end()) return {};
  return fail(
      ErrorKind::refused, fmt::format("{} is {}: it cannot be changed by {}", record.id, session::shown_status(record), move),
      allowed.empty() ? std::string() : fmt::format("possible now: {}", fmt::join(allowed, ", ")), "INVALID_STATE_TRANSITION");
}

}  // namespace holdfast::operations
