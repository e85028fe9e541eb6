#include "kinds/research/engine/evidence.h"
#include "kinds/research/engine/extractive.h"
#include "kinds/research/engine/model_engine.h"
#include "kinds/research/engine/phases.h"
#include "kinds/research/run/begin.h"
#include "kinds/research/run/find_run.h"
#include "kinds/research/run/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace holdfast::research {

namespace {

using session::SessionRecord;

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
