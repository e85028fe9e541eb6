#pragma once

// Opens a store by its address: "sqlite:PATH" or "postgres://USER@HOST:PORT/DATABASE". Others include this
// and backup.h of this room.

#include "session/commit_meter.h"
#include "session/store.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::store {

inline constexpr std::string_view kSqliteScheme = "sqlite:";  // what the address of a file begins with

struct OpenOptions {
  std::shared_ptr<const Clock> clock;  // absent: the system's
  bool read_only = false;
  std::function<session::LeaseTime()> lease_now;  // absent: the kernel's clocks; tests set it
  // How long a write waits for another process that keeps the store locked, before it is unavailable.
  std::chrono::milliseconds patience{10'000};
  // When something happens to a record by itself: due_at of every record that is written (session/life/retention.h has the rule).
  // It is shown the record as it is after the write, without description, opening, data and tallies, and must not look at
  // them. Runs inside the transaction, on the thread that commits. Absent: a record that is written has no due_at, so all
  // processes that write to a store are to bring the rule.
  std::function<std::optional<Millis>(const session::SessionRecord&)> due;
  std::shared_ptr<session::CommitMeter> meter;  // absent: nobody looks
  std::string sqlite_vfs;                       // absent: the system's files; tests name one that fails
};

// Word of the error (refused) when a store of an earlier version is opened for reading: opening it for writing brings it up to
// date.
inline constexpr std::string_view kOlderFormat = "older_format";

// Creates the file (mode 0600) and its folder (0700) when they are missing, unless read_only. A file
// written by a newer version is opened for reading: info() says so, writes answer refused.
//
// Errors: invalid (an address this build does not know), not_found (read_only and nothing there),
// corrupt (not a store of ours), io, refused; of a database also unavailable and unauthorised.
Result<std::unique_ptr<session::Store>> open_store(std::string_view url, const OpenOptions& options = {});

struct CopyTotals {
  std::int64_t sessions = 0, entries = 0, tombstones = 0, lineage = 0, values = 0;
  std::int64_t items() const { return sessions + entries + tombstones + lineage + values; }
  bool operator==(const CopyTotals&) const = default;
};
struct CopyProgress {
  std::int64_t done = 0, total = 0;  // items
};
// Everything that a store holds into another one, which is made, from where an earlier copy was broken off (tables/copy.h).
// Nobody else may write to either meanwhile. `progress` may be empty. Errors besides those above: conflict (the target holds
// something else; the source changed), corrupt (a record is damaged: a copy would hide that).
Result<CopyTotals> copy_store(std::string_view from, std::string_view to,
                              const std::function<void(const CopyProgress&)>& progress);

}  // namespace holdfast::store
