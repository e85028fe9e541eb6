#pragma once

// When something happens to a session by itself (threads-and-research §5).
//
// A policy says how long each stage lasts; next_step says what is due next, and when, for one record. Pure: no clock, no store. A
// step is due at its instant and not one millisecond earlier; when it really happens also depends on its notice (notices.h,
// sweep.h).

#include "base/run/clock.h"
#include "session/record.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::session {

inline constexpr Millis kDay = 86'400'000;  // of UTC: no calendars, no time zones

enum class Step { archive, remove, purge };
std::string_view name_of(Step step);  // "archive", "delete", "purge": the words of notices
std::optional<Step> parse_step(std::string_view name);

struct RetentionPolicy {
  struct Clocks {
    std::optional<Millis> archive_after;  // absent: never
    std::optional<Millis> delete_after;   // once archived
    std::optional<Millis>
        failed_archive_after;  // kinds that complete: of a run that failed or was cancelled, since its last activity
    Millis archive_lead = 7 * kDay;
  };
  std::map<std::string, Clocks, std::less<>> kinds;  // a kind without a row has no clocks
  std::optional<Millis> purge_after = 30 * kDay;     // once deleted, every kind
  Millis delete_lead = 7 * kDay, purge_lead = 7 * kDay;
  Millis notice_min = kDay;  // nothing happens earlier than this after its notice
  Millis sweep_every = kDay;
  bool auto_sweep = true;

  RetentionPolicy();  // the defaults of kind_life.h

  Millis lead(std::string_view kind, Step step) const;
  // The same text for the same periods: a store whose due times were computed with another is brought up to date by the sweep.
  std::string fingerprint() const;
};

struct NextStep {
  Step step;
  Millis due;
};
// nullopt: nothing, ever, while it stays as it is (pinned, live without a clock, being worked on, damaged).
std::optional<NextStep> next_step(const SessionRecord& record, const RetentionPolicy& policy);

// Until when a deleted session can be brought back; nullopt when it is not deleted or is kept for ever.
std::optional<Millis> restorable_until(const SessionRecord& record, const RetentionPolicy& policy);

// What the store is opened with (store/open.h): due_at of a record. It follows every write.
std::function<std::optional<Millis>(const SessionRecord&)> due_rule(RetentionPolicy policy);

}  // namespace holdfast::session
