#pragma once

// Notices: nothing happens to a session by itself without having been announced (threads-and-research §6).
//
// The sweep opens a notice a lead before a step is due. It is over when the step was taken (done) or when the due time moved
// (obsolete). A notice is shown with results until somebody acknowledged it, at most once in kShowEvery. It holds no text of the
// session: what it says is made from the record when it is read, so that redaction and purge have nothing to clean here.

#include "session/life/retention.h"
#include "session/store.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::session {

inline constexpr Millis kShowEvery = kDay;
inline constexpr std::size_t kShownAtOnce = 5;

struct Notice {
  enum class State { open, done, obsolete };

  std::string id;  // ntc- and 12 characters
  std::string session;
  std::string kind;
  std::string principal;
  Step step = Step::archive;
  Millis due_at = 0;        // when the step became due (D)
  Millis effective_at = 0;  // max(D, created_at + notice_min): when it may happen
  Millis created_at = 0;
  std::optional<Millis> delivered_at;
  std::optional<Millis> acked_at;
  State state = State::open;
  std::string text;  // for a person; made when it is read
};
std::string_view name_of(Notice::State state);

// The open notice for exactly this step and due time.
Result<std::optional<Notice>> open_notice(Reader& reader, std::string_view session, const NextStep& step);
// Opens one, writes a `notice` entry that is not activity into threads, and ends others of the session as obsolete.
Result<Notice> announce(Transaction& transaction, const SessionRecord& record, const NextStep& step,
                        const RetentionPolicy& policy);
// Ends the open notices of a session: `done` for the step that was taken, obsolete for all others.
Result<void> close_notices(Transaction& transaction, const SessionRecord& record, std::optional<Step> taken);

// Erases every trace of a session's notices; for purge.
Result<void> forget_notices(Transaction& transaction, std::string_view session);

struct NoticeList {
  std::vector<Notice> notices;
  std::size_t more = 0;  // open ones beyond
};
// Open ones of a principal, by effective_at; also those already acknowledged when `all`.
Result<NoticeList> list_notices(Reader& reader, std::string_view principal, bool all, std::size_t limit);
// Those due to be shown now, marked as shown; at most kShownAtOnce. Cheap when there are none: one read.
Result<NoticeList> take_notices(Store& store, std::string_view principal, Millis now);
// Returns how many were open and not yet acknowledged. An empty list of ids: all of the principal.
Result<std::size_t> acknowledge(Store& store, std::string_view principal, const std::vector<std::string>& ids);

JsonObject notice_json(const Notice& notice);

}  // namespace holdfast::session
