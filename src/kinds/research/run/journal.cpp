#include "kinds/research/run/journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace holdfast::research {

namespace {

struct Weight {
  std::string_view phase;
  std::int64_t before, own;  // hundredths of an iteration
};
constexpr std::array<Weight, 5> kWeights = {{
    {"planning", 0, 5},
    {"gathering", 5, 45},
    {"analysis", 50, 20},
    {"synthesis", 70, 25},
    {"refinement", 95, 5},
}};

}  // namespace

int percent_at(std::int64_t iteration, std::int64_t max_iterations, std::string_view phase, std::int64_t done,
               std::int64_t total) {
  const auto* weight = std::ranges::find(kWeights, phase, &Weight::phase);
  if (weight == kWeights.end()) return 0;
  total = std::max<std::int64_t>(total, 1);
  done = std::clamp<std::int64_t>(done, 0, total);
  // Exact: a floor of doubles would lose a percent here and there.
  const std::int64_t percent = (((iteration - 1) * 100 + weight->before) * total + weight->own * done) /
                               (std::max<std::int64_t>(max_iterations, 1) * total);
  return static_cast<int>(std::clamp<std::int64_t>(percent, 0, kMostBeforeCompleted));
}

namespace {

// A warning is read by a person; more of them than this are no longer read.
constexpr std::size_t kWarningsKept = 50;
// Somebody who changes the record without pause must not keep a worker from ever committing.
constexpr int kRefreshes = 20;

std::unexpected<Error> changed() {
  return fail(ErrorKind::conflict, "the run was changed by somebody else", "", std::string(kRunChanged));
}

std::int64_t count(const Change& change, std::string_view type) {
  return std::ranges::count(change.entries, type, &session::NewEntry::type);
}

}  // namespace

Journal::Journal(session::Store& store, session::WorkerLease& lease, const session::SessionRecord& record, RunState state,
                 bool full_audit, std::function<void(const Progress&)> on_progress)
    : store_(store),
      lease_(lease),
      session_(record.id),
      full_audit_(full_audit),
      on_progress_(std::move(on_progress)),
      job_(read_job(record)),
      attempt_(lease.lease().epoch),
      state_(std::move(state)),
      known_rev_(record.rev),
      usage_(read_usage(record.data)),
      stop_reason_(text_in(record.data, "cut")),
      stand_ins_(strings_in(record.data, "stand_ins")),
      warnings_(strings_in(record.data, "warnings")) {
  percent_ = static_cast<int>(find_int(record.data, "progress_percent").value_or(0));
}

Usage Journal::used() const {
  Usage now = usage_;
  now.active_ms += std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began_).count();
  return now;
}

Budget Journal::budget() const {
  const std::lock_guard lock(usage_mutex_);
  return {job_.limits, used()};
}

void Journal::count_search() {
  const std::lock_guard lock(usage_mutex_);
  ++usage_.search_calls;
}

void Journal::count_model_call(const model::Tokens& tokens) {
  const std::lock_guard lock(usage_mutex_);
  ++usage_.llm_calls;
  usage_.tokens += tokens;
}

void Journal::note_cut(std::string_view stop_reason) {
  const std::lock_guard lock(usage_mutex_);
  if (stop_reason_.empty()) stop_reason_ = stop_reason;
}

std::string Journal::cut() const {
  const std::lock_guard lock(usage_mutex_);
  return stop_reason_;
}

void Journal::note_stand_in(std::string_view step, std::string_view why) {
  warn(fmt::format("{} was done without the model: {}", step, why));
  const std::lock_guard lock(usage_mutex_);
  if (std::ranges::find(stand_ins_, step) == stand_ins_.end()) stand_ins_.emplace_back(step);
}

std::vector<std::string> Journal::stand_ins() const {
  const std::lock_guard lock(usage_mutex_);
  return stand_ins_;
}

void Journal::warn(std::string warning) {
  const std::lock_guard lock(usage_mutex_);
  if (warnings_.size() < kWarningsKept && std::ranges::find(warnings_, warning) == warnings_.end())
    warnings_.push_back(std::move(warning));
}

void Journal::audit(AuditEvent event) {
  JsonObject data{{"event", event.event}, {"duration_ms", event.duration.count()}};
  if (!event.provider.empty()) data["provider"] = event.provider;
  if (!event.model.empty()) data["model"] = event.model;
  if (!event.error.empty()) data["error"] = event.error;
  if (event.tokens.in + event.tokens.out > 0)
    data["tokens"] = {{"in", event.tokens.in}, {"out", event.tokens.out}, {"estimated", event.tokens.estimated}};
  session::NewEntry entry;
  entry.type = "audit";
  if (full_audit_) entry.text = std::move(event.text);
  entry.touch = session::Touch::change;
  const std::lock_guard lock(usage_mutex_);
  data["phase"] = phase_;
  data["iteration"] = iteration_;
  entry.data = to_json(data);
  audits_.push_back(std::move(entry));
}

std::vector<session::NewEntry> Journal::take_audits() {
  const std::lock_guard lock(usage_mutex_);
  return std::exchange(audits_, {});
}

void Journal::put_usage(JsonObject& data) const {
  data["used"] = json_of(used());
  if (!stop_reason_.empty()) data["cut"] = stop_reason_;
  if (!stand_ins_.empty()) data["stand_ins"] = to_json_array(stand_ins_);
  if (!warnings_.empty()) data["warnings"] = to_json_array(warnings_);
}

Result<std::vector<session::Entry>> Journal::write(session::Transaction& transaction, const Change& change,
                                                   const std::vector<session::NewEntry>& audits, int percent) {
  HF_TRY(session::SessionRecord record, lease_.require(transaction));
  if (record.rev != known_rev_) return changed();
  std::vector<session::Entry> written;
  const auto append = [&](const session::NewEntry& entry) -> Result<void> {
    HF_TRY(session::Appended appended, transaction.append(session_, entry));
    if (!appended.replayed) written.push_back(std::move(appended.entry));
    return {};
  };
  for (const session::NewEntry& entry : change.entries) HF_CHECK(append(entry));
  for (const session::NewEntry& entry : audits) HF_CHECK(append(entry));
  {
    const std::lock_guard lock(usage_mutex_);
    put_usage(record.data);
  }
  if (change.unit) {
    session::NewEntry mark;
    mark.type = "unit";
    JsonObject data = change.mark;
    data["unit"] = change.unit->key();
    data["state"] = change.failed ? "failed" : "done";
    mark.data = to_json(data);
    const std::string round = state_.gathered_anew > 0 ? fmt::format("{}:", state_.gathered_anew) : std::string();
    mark.idempotency_key = change.failed ? fmt::format("failed:{}:{}", attempt_, change.unit->key())
                                         : fmt::format("unit:{}{}", round, change.unit->key());
    HF_CHECK(append(mark));
  }
  JsonObject& data = record.data;
  data["phase"] = phase_;
  data["iteration"] = iteration_;
  data["source_count"] = static_cast<std::int64_t>(state_.sources.size()) + count(change, "source");
  data["finding_count"] = static_cast<std::int64_t>(state_.findings.size()) + count(change, "finding");
  data["gap_count"] = static_cast<std::int64_t>(state_.gaps.size()) + count(change, "gap");
  data["contradiction_count"] = static_cast<std::int64_t>(state_.contradictions.size()) + count(change, "contradiction");
  data["progress_percent"] = percent;
  data["last_progress_at"] = transaction.now();
  data["last_progress_event"] = change.event;
  if (change.event == "phase_start") data["phase_started_at"] = transaction.now();
  if (change.unit && !change.failed) data["automatic_attempts"] = 0;
  if (change.adjust) change.adjust(record);
  HF_TRY(record, transaction.update(std::move(record), session::Touch::activity));
  HF_TRY(record, transaction.get(session_));
  known_rev_ = record.rev;
  return written;
}

// Somebody else wrote to the record. A new title or a pin does not matter; content that is gone does.
Result<void> Journal::refresh() {
  HF_TRY(session::SessionRecord record, store_.get(session_));
  HF_TRY(const RunState fresh, read_state(store_, session_));
  if (fresh.redactions != state_.redactions || text_in(record.data, "query") != job_.query) return changed();
  known_rev_ = record.rev;
  return {};
}

Result<void> Journal::commit(const std::function<Change(const RunState&)>& compose) {
  const std::lock_guard lock(mutex_);
  if (lease_.ended()) return fail(ErrorKind::cancelled, "the worker has to stop");
  const Change change = compose(state_);
  const int percent = std::max(percent_, percent_at(iteration_, job_.limits.max_iterations, phase_, change.done, change.total));
  const std::vector<session::NewEntry> audits = take_audits();
  for (int attempt = 0;; ++attempt) {
    const std::int64_t rev_before = known_rev_;
    auto written = store_.write([&](session::Transaction& transaction) {
      known_rev_ = rev_before;
      return write(transaction, change, audits, percent);
    });
    if (written) {
      for (const session::Entry& entry : *written) state_.add(entry);
      percent_ = percent;
      break;
    }
    known_rev_ = rev_before;
    const Error& error = written.error();
    if (error.code == kRunChanged && attempt < kRefreshes) {
      HF_CHECK(refresh());
      continue;
    }
    if (error.kind == ErrorKind::cancelled || error.kind == ErrorKind::not_found)
      lease_.set_end(session::WorkEnd::cancelled);
    else if (error.kind == ErrorKind::conflict)
      lease_.set_end(session::WorkEnd::lost);
    else
      store_failed_ = true;
    return fail(error);
  }
  if (on_progress_ && !change.event.empty()) on_progress_({percent_, phase_, iteration_, change.event, change.message});
  return {};
}

Result<void> Journal::commit(Change change) {
  return commit([&](const RunState&) { return std::move(change); });
}

Result<void> Journal::enter(std::int64_t iteration, std::string_view phase) {
  {
    const std::scoped_lock lock(mutex_, usage_mutex_);
    iteration_ = iteration;
    phase_ = phase;
  }
  Change change;
  change.event = "phase_start";
  change.message = fmt::format("{}, round {} of at most {}", phase, iteration, job_.limits.max_iterations);
  return commit(std::move(change));
}

Result<session::SessionRecord> Journal::close(const std::function<void(session::SessionRecord&, Millis now)>& adjust) {
  const std::lock_guard lock(mutex_);
  const std::vector<session::NewEntry> audits = take_audits();
  auto closed = store_.write([&](session::Transaction& transaction) -> Result<session::SessionRecord> {
    HF_TRY(session::SessionRecord record, lease_.require(transaction));
    for (const session::NewEntry& entry : audits) HF_CHECK(transaction.append(session_, entry));
    {
      const std::lock_guard usage_lock(usage_mutex_);
      put_usage(record.data);
    }
    adjust(record, transaction.now());
    const session::Lease& lease = lease_.lease();
    HF_CHECK(transaction.release_lease(lease.name, lease.owner, lease.epoch));
    HF_TRY(record, transaction.update(std::move(record), session::Touch::activity));
    return transaction.get(session_);
  });
  if (!closed && closed.error().kind == ErrorKind::cancelled) lease_.set_end(session::WorkEnd::cancelled);
  if (!closed && closed.error().kind == ErrorKind::conflict) lease_.set_end(session::WorkEnd::lost);
  return closed;
}

}  // namespace holdfast::research
