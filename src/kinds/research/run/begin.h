#pragma once

// Taking up a run: the lease and rows 2, 6 and 7 of the table in threads-and-research §4, in one transaction.

#include "kinds/research/run/run.h"

#include <optional>
#include <string_view>

namespace holdfast::research {

// What is remembered of how earlier workers ended.
inline constexpr std::size_t kAttemptsKept = 20;

struct Begun {
  session::SessionRecord record;
  std::optional<session::Lease> lease;  // absent: nothing to be worked: already running, over, or given up as CRASH_LOOP
  bool already_running = false;
};

// A cancelled run whose worker is still putting its things away is waited for. Errors: refused with code ALREADY_COMPLETED or
// DELETED, not_found, cancelled (stopping), those of the store.
Result<Begun> begin_work(session::Store& store, std::string_view id, Millis lease_time, const WorkOptions& options);

}  // namespace holdfast::research
