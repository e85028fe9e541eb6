// What this promises: nothing happens to a session unannounced, and what somebody does to it meanwhile wins.
//
// 1. A lease is taken, so that of all processes on a store one sweeps; in the same transaction it is looked up whether somebody
// was
//    quicker. It is renewed between pages and given back at the end, together with the instant of this sweep.
// 2. Due times are kept with the records, so that a list ordered by them finds what is due without reading the rest. When the
// periods
//    of the settings have changed, they are computed anew first.
// 3. Lists by due time are walked, one for each kind of live sessions, one of archived and one of deleted ones, as far as
// something
//    could be due; a walk ends at the first session that is not.
// 4. Of each session it is decided what is next (plan_for): too early, announce it, or take the step, which needs a notice that
// has
//    been open long enough. A session moves one step a sweep, never from live to gone at once.
// 5. The plan is made again inside the transaction that acts (act), from the record as it is then: a message that has arrived
// since
//    the list was read has moved the due time, and nothing happens.
// 6. A session that cannot be changed is reported and left for the next time; it does not keep the others waiting.
// A dry run does the same without acting; called twice at one instant, the second sweep changes nothing.

#include "session/life/sweep.h"

#include "base/json/json.h"
#include "session/life/erase.h"
#include "session/life/lifecycle.h"
#include "session/life/notices.h"
#include "session/query/lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

namespace holdfast::session {

namespace {

constexpr std::string_view kLeaseName = "sweep";
constexpr std::string_view kSpace = "retention";
constexpr std::string_view kLastSweep = "last_sweep", kFingerprint = "due_times";
constexpr std::size_t kSweepPage = 100;   // most sweeps read one page of each walk and do nothing
constexpr std::size_t kRefreshed = 1000;  // records of one transaction, so that writers hardly wait
constexpr std::size_t kMostNamed = 100;   // sessions that one prefix may name; a shorter one leaves no more out
const std::vector kEverything = {Visibility::live, Visibility::archived, Visibility::deleted};

// What the sweep would do with one session now.
struct Plan {
  enum class Do { nothing, announce, step } what = Do::nothing;
  std::optional<NextStep> next;
  std::optional<Millis> at;  // when it can happen, as far as is known
};

Result<Plan> plan_for(Reader& reader, const SessionRecord& record, const RetentionPolicy& policy, Millis now) {
  Plan plan;
  plan.next = next_step(record, policy);
  if (!plan.next) return plan;
  plan.at = plan.next->due;
  if (now < plan.next->due - policy.lead(record.kind, plan.next->step)) return plan;
  HF_TRY(const auto notice, open_notice(reader, record.id, *plan.next));
  if (!notice) {
    plan.what = Plan::Do::announce;
    plan.at = std::max(plan.next->due, now + policy.notice_min);
  } else {
    plan.at = notice->effective_at;
    if (now >= notice->effective_at) plan.what = Plan::Do::step;
  }
  return plan;
}

Result<void> take_step(Transaction& transaction, const SessionRecord& record, Step step) {
  HF_CHECK(close_notices(transaction, record, step));
  if (step == Step::purge) return purge(transaction, record.id, "retention");
  HF_CHECK(step == Step::archive ? archive(transaction, record) : soft_delete(transaction, record));
  return {};
}

// Looks again inside the transaction: what came since the list was read wins.
Result<Plan> act(Store& store, const std::string& id, const RetentionPolicy& policy) {
  return store.write([&](Transaction& transaction) -> Result<Plan> {
    auto record = transaction.get(id);
    if (!record && record.error().kind == ErrorKind::not_found) return Plan{};
    if (!record) return fail(std::move(record).error());
    HF_TRY(const Plan plan, plan_for(transaction, *record, policy, transaction.now()));
    if (plan.what == Plan::Do::announce) HF_CHECK(announce(transaction, *record, *plan.next, policy));
    if (plan.what == Plan::Do::step) HF_CHECK(take_step(transaction, *record, plan.next->step));
    return plan;
  });
}

void note(SweepReport& report, const std::string& id, const Plan& plan) {
  if (plan.what == Plan::Do::announce) ++report.notices_created;
  if (plan.what != Plan::Do::step) {
    if (plan.at) report.next_due_at = std::min(report.next_due_at.value_or(*plan.at), *plan.at);
    return;
  }
  switch (plan.next->step) {
    case Step::archive:
      report.archived.push_back(id);
      break;
    case Step::remove:
      report.deleted.push_back(id);
      break;
    case Step::purge:
      report.purged.push_back(id);
      break;
  }
}

// Pinned sessions have no due time; those that would have one that has come.
Result<std::size_t> count_pinned(Store& store, const RetentionPolicy& policy, Millis now) {
  Query query;
  query.pinned = true;
  query.visibilities = kEverything;
  query.limit = kSweepPage;
  std::size_t count = 0;
  do {
    HF_TRY(const Page page, store.list(query));
    for (SessionRecord record : page.items) {
      record.pinned = false;
      const auto next = next_step(record, policy);
      if (next && next->due <= now) ++count;
    }
    query.cursor = page.next_cursor;
  } while (!query.cursor.empty());
  return count;
}

// Due times that were computed with other periods.
Result<void> refresh_due_times(Store& store, const RetentionPolicy& policy) {
  HF_TRY(const auto known, store.value(kSpace, kFingerprint));
  const std::string wanted = policy.fingerprint();
  if (known && known->value == Json(wanted)) return {};
  std::string after;
  do {
    HF_TRY(after, store.write([&](Transaction& transaction) { return transaction.refresh_due(after, kRefreshed); }));
  } while (!after.empty());
  return store.write([&](Transaction& transaction) -> Result<void> {
    HF_CHECK(transaction.put(kSpace, kFingerprint, Json(wanted)));
    return {};
  });
}

// Those that a call names, as find_session would understand it for any owner: which one is meant depends on who asks, and a
// session that is left out once too often is only swept a little later.
Result<std::set<std::string>> sessions_named(Store& store, const std::vector<std::string>& names) {
  std::set<std::string> ids;
  for (const std::string& name : names) {
    HF_TRY(const auto fitting, store.ids_with_prefix({name, {}, {}, kMostNamed}));
    if (fitting.empty()) continue;
    const bool is_id = fitting.front() == name;
    if (!is_id && name.size() < kMinPrefixBytes) continue;
    ids.insert(fitting.begin(), is_id ? fitting.begin() + 1 : fitting.end());
  }
  return ids;
}

class Sweep {
 public:
  Sweep(Store& store, const RetentionPolicy& policy, const SweepOptions& options, Millis now)
      : sessions_(options.seen_by != nullptr ? *options.seen_by : store), policy_(policy), options_(options) {
    report_.swept_at = now;
  }

  Result<SweepReport> run(const std::function<Result<void>()>& keep_lease) {
    keep_lease_ = keep_lease;
    HF_TRY(left_out_, sessions_named(sessions_, options_.leave_out));
    for (const auto& [kind, clocks] : policy_.kinds) HF_CHECK(walk({kind}, Visibility::live, clocks.archive_lead));
    HF_CHECK(walk({}, Visibility::archived, policy_.delete_lead));
    HF_CHECK(walk({}, Visibility::deleted, policy_.purge_lead));
    HF_TRY(report_.skipped_pinned, count_pinned(sessions_, policy_, report_.swept_at));
    return std::move(report_);
  }

 private:
  // From the earliest due time on, up to the last one that could be announced: what is not due for long is never read.
  Result<void> walk(std::vector<std::string> kinds, Visibility visibility, Millis lead) {
    Query query;
    query.kinds = std::move(kinds);
    query.visibilities = {visibility};
    query.sort = Sort::due;
    query.limit = kSweepPage;
    query.count = false;
    do {
      HF_TRY(const Page page, sessions_.list(query));
      for (const SessionRecord& record : page.items) {
        if (!record.due_at) return {};
        if (*record.due_at - lead > report_.swept_at) {
          note_due(*record.due_at);
          return {};
        }
        if (options_.cancelled && options_.cancelled()) return fail(ErrorKind::cancelled, "the sweep was stopped");
        HF_CHECK(look_at(record));
      }
      query.cursor = page.next_cursor;
      HF_CHECK(keep_lease_());
    } while (!query.cursor.empty());
    return {};
  }

  void note_due(Millis due) { report_.next_due_at = std::min(report_.next_due_at.value_or(due), due); }

  Result<void> look_at(const SessionRecord& record) {
    if (left_out_.contains(record.id)) return {};
    // A step may have given it a due time further down the list: one step a sweep.
    if (!seen_.insert(record.id).second) return {};
    HF_TRY(Plan plan, plan_for(sessions_, record, policy_, report_.swept_at));
    if (plan.what != Plan::Do::nothing && !options_.dry_run) {
      auto acted = act(sessions_, record.id, policy_);
      if (!acted) {
        // A damaged record must not keep the others from being looked at.
        report_.failed.push_back(fmt::format("{}: {}", record.id, acted.error().message));
        return {};
      }
      plan = *std::move(acted);
    }
    note(report_, record.id, plan);
    return {};
  }

  Store& sessions_;
  const RetentionPolicy& policy_;
  const SweepOptions& options_;
  std::function<Result<void>()> keep_lease_;
  SweepReport report_;
  std::set<std::string> left_out_;
  std::set<std::string> seen_;
};

// Nullopt for `at_most_every` when somebody was quicker.
Result<std::optional<SweepReport>> sweep_alone(Store& store, const RetentionPolicy& policy, const SweepOptions& options,
                                               std::optional<Millis> at_most_every) {
  const LeaseOwner owner = make_lease_owner();
  struct Begun {
    std::int64_t epoch = 0;
    Millis now = 0;
    bool done_already = false;
  };
  HF_TRY(const Begun begun, store.write([&](Transaction& transaction) -> Result<Begun> {
    if (at_most_every) {
      HF_TRY(const auto last, transaction.value(kSpace, kLastSweep));
      if (last && !is_sweep_due(last->value, *at_most_every, transaction.now())) return Begun{0, transaction.now(), true};
    }
    HF_TRY(const Lease lease, transaction.acquire_lease(kLeaseName, owner));
    return Begun{lease.epoch, transaction.now(), false};
  }));
  if (begun.done_already) return std::nullopt;
  auto renewed = std::chrono::steady_clock::now();
  const auto keep_lease = [&]() -> Result<void> {
    if (std::chrono::steady_clock::now() - renewed < std::chrono::milliseconds(kLeaseRenewEvery)) return {};
    renewed = std::chrono::steady_clock::now();
    return store.write([&](Transaction& transaction) -> Result<void> {
      HF_CHECK(transaction.renew_lease(kLeaseName, owner, begun.epoch));
      return {};
    });
  };
  auto swept = [&]() -> Result<SweepReport> {
    // In a dry run too: they only say when to look at a session, and a plan made with the old ones would be another one.
    HF_CHECK(refresh_due_times(store, policy));
    return Sweep(store, policy, options, begun.now).run(keep_lease);
  }();
  const auto ended = store.write([&](Transaction& transaction) -> Result<void> {
    if (swept && !options.dry_run && options.seen_by == nullptr) HF_CHECK(transaction.put(kSpace, kLastSweep, Json(begun.now)));
    return transaction.release_lease(kLeaseName, owner, begun.epoch);
  });
  if (!swept) return fail(std::move(swept).error());
  HF_CHECK(ended);
  return *std::move(swept);
}

}  // namespace

bool is_sweep_due(const Json& last, Millis every, Millis now) {
  if (!last.is_int64()) return true;
  const Millis then = last.get_int64();
  // A last sweep in the future: the clock was wrong then, or is now. Sweeping once too often changes nothing.
  return then > now || now - then >= every;
}

Result<SweepReport> sweep(Store& store, const RetentionPolicy& policy, const SweepOptions& options) {
  auto swept = sweep_alone(store, policy, options, std::nullopt);
  if (!swept && swept.error().kind == ErrorKind::conflict)
    return fail(ErrorKind::unavailable, "another process is sweeping this store", "try again in a moment", "STORAGE_BUSY");
  if (!swept) return fail(std::move(swept).error());
  return **std::move(swept);
}

Result<std::optional<SweepReport>> sweep_if_due(Store& store, const RetentionPolicy& policy, Millis now,
                                                std::vector<std::string> leave_out, std::function<bool()> cancelled,
                                                std::atomic<Millis>* known_last) {
  if (!policy.auto_sweep) return std::nullopt;
  const Millis known = known_last != nullptr ? known_last->load() : 0;
  if (known != 0 && !is_sweep_due(Json(known), policy.sweep_every, now)) return std::nullopt;
  HF_TRY(const auto last, store.value(kSpace, kLastSweep));
  if (known_last != nullptr && last && last->value.is_int64()) *known_last = last->value.get_int64();
  if (last && !is_sweep_due(last->value, policy.sweep_every, now)) return std::nullopt;
  SweepOptions options;
  options.leave_out = std::move(leave_out);
  options.cancelled = std::move(cancelled);
  auto swept = sweep_alone(store, policy, options, policy.sweep_every);
  const bool left = !swept && (swept.error().kind == ErrorKind::conflict || swept.error().kind == ErrorKind::cancelled);
  if (left) return std::nullopt;
  return swept;
}

JsonObject report_json(const SweepReport& report) {
  const auto ids = [](const std::vector<std::string>& list) {
    JsonArray array;
    for (const std::string& id : list) array.emplace_back(id);
    return array;
  };
  JsonObject fields{{"swept_at", iso8601(report.swept_at)}, {"notices_created", report.notices_created},
                    {"archived", ids(report.archived)},     {"deleted", ids(report.deleted)},
                    {"purged", ids(report.purged)},         {"skipped_pinned", report.skipped_pinned}};
  fields["next_due_at"] = report.next_due_at ? Json(iso8601(*report.next_due_at)) : Json(nullptr);
  if (!report.failed.empty()) fields["failed"] = ids(report.failed);
  return fields;
}

}  // namespace holdfast::session
