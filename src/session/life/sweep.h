#pragma once

// The retention sweep: opens notices, archives, soft-deletes and purges what is due (threads-and-research §5).
//
// One transition per session and sweep; each in a transaction of its own that looks again, so that a message which arrived
// meanwhile wins. Any process may sweep; one at a time does (lease `sweep`). Doing it twice at one instant changes nothing.

#include "session/life/retention.h"
#include "session/store.h"

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::session {

struct SweepOptions {
  bool dry_run = false;
  // What the current call is about, and what therefore waits for the next sweep: ids, or prefixes (lookup.h).
  std::vector<std::string> leave_out;
  // Of a sweep that somebody asked for: the view of who did. What it does not see waits for the server's own sweep, and the
  // report does not speak of it. nullptr: everything.
  Store* seen_by = nullptr;
  std::function<bool()> cancelled;
};

struct SweepReport {
  Millis swept_at = 0;
  std::size_t notices_created = 0;
  std::vector<std::string> archived, deleted, purged;  // ids
  std::size_t skipped_pinned = 0;
  std::optional<Millis> next_due_at;
  std::vector<std::string> failed;  // "<id>: why": left for the next sweep
};

// Now. Errors: unavailable (another process is sweeping), those of the store.
Result<SweepReport> sweep(Store& store, const RetentionPolicy& policy, const SweepOptions& options = {});
// When the last one is longer ago than policy.sweep_every; nullopt: not due, or somebody else does it. One cheap read otherwise,
// and not even that while `known_last` (when the last one was, kept by the caller, any thread; 0: not known) says that it is not
// due: others only make it later. When `cancelled` says to stop, what was done is done, nullopt is returned, and the next look
// goes on.
Result<std::optional<SweepReport>> sweep_if_due(Store& store, const RetentionPolicy& policy, Millis now,
                                                std::vector<std::string> leave_out = {}, std::function<bool()> cancelled = {},
                                                std::atomic<Millis>* known_last = nullptr);

// Whether the instant of the last sweep (as kept) is long enough ago.
bool is_sweep_due(const Json& last, Millis every, Millis now);

JsonObject report_json(const SweepReport& report);

}  // namespace holdfast::session
