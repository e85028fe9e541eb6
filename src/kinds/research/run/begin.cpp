#include "kinds/research/run/begin.h"

#include "kinds/research/engine/evidence.h"
#include "kinds/research/run/find_run.h"
#include "kinds/research/run/job.h"
#include "session/kinds.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

namespace holdfast::research {

namespace {

using session::SessionRecord;
using session::Transaction;

// Until the worker of a cancelled run has let go.
constexpr std::chrono::milliseconds kLetGoPoll{50};

// Set between reopen() and the worker that begins: how it ended before is remembered already.
constexpr std::string_view kReopened = "reopened";

bool has_ended(const SessionRecord& record) {
  return record.status == "failed" || record.status == "cancelled";
}

Error completed_error(std::string_view id) {
  return make_error(ErrorKind::refused, fmt::format("{} is completed", id), "read its report", "ALREADY_COMPLETED");
}

// Row 6 and 7: how it ended before is history now.
void remember_attempt(SessionRecord& record, Millis now) {
  JsonObject& data = record.data;
  JsonObject attempt{{"until", now}, {"status", record.status}};
  if (const Json* error = find(data, "error")) attempt["error"] = *error;
  if (record.status == "in_progress") attempt["stop_reason"] = find_string(data, "stop_reason").value_or("crash");
  JsonArray attempts;
  if (const JsonArray* earlier = find_array(data, "attempts")) attempts = *earlier;
  attempts.push_back(std::move(attempt));
  if (attempts.size() > kAttemptsKept) attempts.erase(attempts.begin());
  data["attempts"] = std::move(attempts);
  data.erase("error");
  data.erase("stop_reason");
}

Result<SessionRecord> give_up_crash_loop(Transaction& transaction, SessionRecord record) {
  record.status = "failed";
  record.data["error"] = {
      {"code", "CRASH_LOOP"},
      {"message", fmt::format("the run was taken up {} times by itself and got no further", kAutomaticAttempts)},
      {"phase", text_in(record.data, "phase")},
      {"iteration", find_int(record.data, "iteration").value_or(1)}};
  return transaction.update(std::move(record), session::Touch::change);
}

Result<Begun> take(Transaction& transaction, std::string_view id, const session::LeaseOwner& owner, Millis lease_time,
                   const WorkOptions& options) {
  HF_TRY(SessionRecord record, transaction.get(id));
  if (record.kind != session::kResearch)
    return fail(ErrorKind::not_found, fmt::format("{} is not a research run", id), "", "NOT_FOUND");
  if (record.visibility == session::Visibility::deleted)
    return fail(ErrorKind::refused, fmt::format("{} is deleted", id), "restore it first", "DELETED");
  if (record.status == "completed") return fail(completed_error(id));
  if (options.only_open && has_ended(record)) return Begun{std::move(record), std::nullopt, false};
  auto lease = transaction.acquire_lease(lease_name(id), owner, lease_time);
  if (!lease && lease.error().kind == ErrorKind::conflict) return Begun{std::move(record), std::nullopt, true};
  if (!lease) return fail(std::move(lease).error());
  const std::int64_t automatic_attempts = find_int(record.data, "automatic_attempts").value_or(0);
  if (options.automatic && automatic_attempts >= kAutomaticAttempts) {
    HF_TRY(record, give_up_crash_loop(transaction, std::move(record)));
    HF_CHECK(transaction.release_lease(lease->name, owner, lease->epoch));
    return Begun{std::move(record), std::nullopt, false};
  }
  record.data["automatic_attempts"] = options.automatic ? automatic_attempts + 1 : 0;
  if (record.status != "started" && !record.data.contains(kReopened)) remember_attempt(record, transaction.now());
  record.data.erase(kReopened);
  record.status = "in_progress";
  record.data["working_since"] = transaction.now();
  HF_TRY(record, transaction.update(std::move(record), session::Touch::activity));
  HF_TRY(record, transaction.get(id));
  return Begun{std::move(record), *std::move(lease), false};
}

// nullopt: over, but its worker still has the lease.
Result<std::optional<Research::Reopened>> open_again(Transaction& transaction, std::string_view principal, std::string_view id) {
  HF_TRY(SessionRecord record, find_run(transaction, principal, id));
  if (record.status == "completed") return fail(completed_error(id));
  HF_TRY(const auto lease, transaction.lease(lease_name(id)));
  const bool held = lease && !session::is_over(*lease, session::lease_time_now());
  if (!has_ended(record)) return Research::Reopened{std::move(record), held};
  if (held) return std::nullopt;
  remember_attempt(record, transaction.now());
  record.status = "in_progress";
  record.data["automatic_attempts"] = 0;
  record.data[kReopened] = true;
  HF_TRY(record, transaction.update(std::move(record), session::Touch::activity));
  return Research::Reopened{std::move(record), false};
}

}  // namespace

Result<Research::Reopened> Research::reopen(std::string_view principal, std::string_view id) {
  const auto patient_until = std::chrono::steady_clock::now() + kCancelWithin;
  while (true) {
    HF_TRY(auto reopened, tools_.store.write([&](Transaction& transaction) { return open_again(transaction, principal, id); }));
    if (reopened) return *std::move(reopened);
    if (std::chrono::steady_clock::now() >= patient_until)
      return fail(ErrorKind::conflict, fmt::format("the worker of {} has not let go of it yet", id), "call again in a moment",
                  "STORAGE_BUSY");
    std::this_thread::sleep_for(kLetGoPoll);
  }
}

Result<Begun> begin_work(session::Store& store, std::string_view id, Millis lease_time, const WorkOptions& options) {
  const session::LeaseOwner owner = session::make_lease_owner();
  const auto patient_until = std::chrono::steady_clock::now() + kCancelWithin;
  while (true) {
    HF_TRY(Begun begun, store.write([&](Transaction& transaction) { return take(transaction, id, owner, lease_time, options); }));
    const bool winding_down = begun.already_running && begun.record.status != "in_progress";
    if (!winding_down || std::chrono::steady_clock::now() >= patient_until) return begun;
    if (options.stopping && options.stopping()) return fail(ErrorKind::cancelled, "the program is stopping");
    std::this_thread::sleep_for(kLetGoPoll);
  }
}

}  // namespace holdfast::research
