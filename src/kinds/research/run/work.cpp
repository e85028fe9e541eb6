#include "kinds/research/engine/engine.h"
#include "kinds/research/engine/evidence.h"
#include "kinds/research/engine/phases.h"
#include "kinds/research/run/job.h"
#include "kinds/research/run/run.h"
#include "session/kinds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace holdfast::research {

namespace {

using session::SessionRecord;
using session::Transaction;

// Taking up a run: the lease and rows 2, 6 and 7 of the table in threads-and-research §4, in one transaction.

// What is remembered of how earlier workers ended.
constexpr std::size_t kAttemptsKept = 20;

struct Begun {
  session::SessionRecord record;
  std::optional<session::Lease> lease;  // absent: nothing to be worked: already running, over, or given up as CRASH_LOOP
  bool already_running = false;
};

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

// A cancelled run whose worker is still putting its things away is waited for. Errors: refused with code ALREADY_COMPLETED or
// DELETED, not_found, cancelled (stopping), those of the store.
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

// Providers the run may use; those it names and nobody has are warned about.
Result<Providers> providers_of(const Tools& tools, const SessionRecord& record, Journal& journal) {
  HF_TRY(Providers providers, tools.providers(record, journal.job().corpus));
  const std::vector<std::string>& wanted = journal.job().search;
  if (wanted.empty()) return providers;
  for (const std::string& name : wanted)
    if (std::ranges::none_of(providers, [&](const auto& provider) { return provider->name() == name; }))
      journal.warn(fmt::format("there is no search provider '{}'", name));
  std::erase_if(providers, [&](const auto& provider) { return std::ranges::find(wanted, provider->name()) == wanted.end(); });
  if (providers.empty())
    return fail(ErrorKind::refused, fmt::format("there is no search provider '{}'", fmt::join(wanted, "', '")),
                "start a run that names one of those `holdfast research providers` shows, or none", "NO_SOURCES");
  return providers;
}

Result<void> do_work(const Tools& tools, const SessionRecord& record, Journal& journal) {
  HF_TRY(Providers providers, providers_of(tools, record, journal));
  const std::unique_ptr<Engine> program = make_extractive_engine();
  std::unique_ptr<Engine> model;
  if (!tools.models.providers("synthesis").empty()) model = make_model_engine(tools.models, journal);
  Workshop shop{journal, model ? *model : *program, *program, providers, tools.fetcher};
  return run_phases(shop);
}

// Row 3.
Result<SessionRecord> complete(Journal& journal) {
  return journal.close([&](SessionRecord& record, Millis now) {
    record.status = "completed";
    record.completed_at = now;
    record.retention_anchor_at = now;
    record.data["progress_percent"] = 100;
    record.data["last_progress_at"] = now;
    record.data["last_progress_event"] = "completed";
    record.data["partial"] = !journal.cut().empty();
    if (!journal.cut().empty()) record.data["stop_reason"] = journal.cut();
  });
}

// Row 4.
Result<SessionRecord> give_up(Journal& journal, const Error& error) {
  return journal.close([&](SessionRecord& record, Millis) {
    record.status = "failed";
    JsonObject told{
        {"code", error.word()}, {"message", error.message}, {"phase", journal.phase()}, {"iteration", journal.iteration()}};
    if (!error.hint.empty()) told["hint"] = error.hint;
    record.data["error"] = std::move(told);
  });
}

// Not a status: the run stays in_progress until somebody goes on with it.
Result<SessionRecord> set_aside(Journal& journal) {
  return journal.close([](SessionRecord& record, Millis) {
    record.data["stop_reason"] = "shutdown";
    // That the program was ended is not a crash: it does not count as an attempt.
    const std::int64_t attempts = find_int(record.data, "automatic_attempts").value_or(0);
    record.data["automatic_attempts"] = std::max<std::int64_t>(0, attempts - 1);
  });
}

void let_go(session::Store& store, const session::Lease& lease) {
  // Refused when somebody else has it by now, which is what we want.
  static_cast<void>(store.write(
      [&](session::Transaction& transaction) { return transaction.release_lease(lease.name, lease.owner, lease.epoch); }));
}

Result<SessionRecord> end_work(Journal& journal, const Result<void>& done) {
  const session::WorkEnd end = journal.lease().end();
  if (end == session::WorkEnd::stopping) return set_aside(journal);
  if (end != session::WorkEnd::none) return fail(ErrorKind::cancelled, "the worker had to stop");
  if (done) return complete(journal);
  if (journal.store_failed()) return fail(done.error());
  return give_up(journal, done.error());
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

Result<WorkOutcome> Research::work(std::string_view id, const WorkOptions& options) {
  HF_TRY(Begun begun, begin_work(tools_.store, id, tools_.lease, options));
  WorkOutcome outcome{std::move(begun.record), begun.already_running, false};
  if (!begun.lease) return outcome;
  session::WorkerLease lease(tools_.store, std::string(id), *begun.lease, options.stopping);
  while (true) {
    auto state = read_state(tools_.store, id);
    if (!state) {
      let_go(tools_.store, *begun.lease);
      return fail(std::move(state).error());
    }
    Journal journal(tools_.store, lease, outcome.record, *std::move(state), tools_.audit_verbosity == "full",
                    options.on_progress);
    const Result<void> done = do_work(tools_, outcome.record, journal);
    if (!done && done.error().code == kRunChanged && !lease.ended()) {
      auto record = tools_.store.get(id);  // a redaction: once more, from what is left
      if (record) outcome.record = *std::move(record);
      if (record) continue;
    }
    auto ended = end_work(journal, done);
    outcome.stopped = lease.end() == session::WorkEnd::stopping;
    if (ended) {
      outcome.record = *std::move(ended);
      return outcome;
    }
    let_go(tools_.store, *begun.lease);
    const bool quietly =
        lease.ended() && (ended.error().kind == ErrorKind::cancelled || ended.error().kind == ErrorKind::conflict);
    if (!quietly) return fail(std::move(ended).error());
    HF_TRY(outcome.record, tools_.store.get(id));
    return outcome;
  }
}

Result<Research::Cancelled> Research::cancel(std::string_view principal, std::string_view id) {
  return tools_.store.write([&](session::Transaction& transaction) -> Result<Cancelled> {
    HF_TRY(SessionRecord record, find_run(transaction, principal, id));
    if (record.status != "started" && record.status != "in_progress") return Cancelled{std::move(record), false};
    record.status = "cancelled";
    record.data["stop_reason"] = "cancelled";
    HF_TRY(record, transaction.update(std::move(record), session::Touch::change));
    return Cancelled{std::move(record), true};
  });
}

}  // namespace holdfast::research
