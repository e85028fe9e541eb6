#include "store/postgres/writer.h"

#include "base/crypto/hash.h"
#include "base/run/log.h"
#include "base/run/run_guarded.h"
#include "store/postgres/listener.h"
#include "store/tables/transaction.h"

#include <fmt/format.h>

#include <exception>
#include <span>

namespace holdfast::store::postgres {

namespace {

constexpr std::string_view kErasedMark = "scrub ";

constexpr std::size_t kIdBytes = 16;

// How often ids that nobody can ask for any more are removed and counts folded: seldom enough to cost nothing.
constexpr std::uint64_t kCleanEvery = 500;
// A small store doubles soon.
constexpr std::uint64_t kCheckEvery = 100;

// Waits until everything that is committed so far is on the disk: a commit of its own, which shares the sync with others.
constexpr std::string_view kMakeDurable = "SELECT pg_logical_emit_message(true, 'holdfast', '')";

// All that notify stand in line for that. Nobody waits for the disk while he is first: it is waited for afterwards, together with
// others (as with events, locks.cpp).
constexpr std::string_view kWake =
    "SELECT pg_notify(convert_from(?, 'UTF8'), convert_from(?, 'UTF8')), set_config('synchronous_commit', 'off', true)";

// Rows of session_counts that say the same become one (schema.cpp). Who reads meanwhile sees the old ones or the new one; rows
// that another node folds are left to it.
constexpr std::string_view kFoldCounts =
    "WITH gone AS (DELETE FROM session_counts WHERE ctid = ANY(ARRAY(SELECT ctid FROM session_counts LIMIT 20000 FOR UPDATE SKIP "
    "LOCKED)) RETURNING *) INSERT INTO session_counts SELECT principal, kind, visibility, status, pinned, aspect, "
    "sum(sessions)::int8 FROM gone GROUP BY 1, 2, 3, 4, 5, 6 HAVING sum(sessions) <> 0";

Result<void> call(const Writer::Work& work, session::Transaction& transaction) {
  try {
    return work(transaction);
  } catch (const std::exception& e) {
    return fail(ErrorKind::internal, fmt::format("a write failed: {}", e.what()));
  }
}

// In pages. A table that has never been analysed has none.
constexpr std::string_view kDoubled =
    "SELECT convert_to(relname, 'UTF8') FROM pg_class WHERE oid = ANY(ARRAY['sessions', 'session_texts', 'entries', 'roots', "
    "'tallies']::regclass[]) AND pg_relation_size(oid) / current_setting('block_size')::int8 >= 2 * greatest(relpages, 4)";

}  // namespace

Statistics::~Statistics() {
  std::jthread last;
  {
    const std::lock_guard lock(mutex_);
    last = std::move(worker_);
  }
}

void Statistics::check(Connection& connection) {
  const auto doubled = connection.ask(kDoubled);
  if (!doubled || doubled->empty()) return;
  std::vector<std::string> tables;
  for (int i = 0; i < doubled->size(); ++i) tables.emplace_back((*doubled)[i].text(0));
  const std::lock_guard lock(mutex_);
  if (running_) return;
  running_ = true;
  worker_ = std::jthread([this, tables] {
    const auto task = [&] { analyse(tables); };
    run_guarded(task, "statistics");
    const std::lock_guard ended(mutex_);
    running_ = false;
  });
}

void Statistics::analyse(const std::vector<std::string>& tables) {
  for (const std::string& table : tables) {
    // When it fails, the next check tries again.
    const auto done =
        pool_.with([&](Connection& connection) { return connection.ask(fmt::format("ANALYZE (SKIP_LOCKED) {}", table)); });
    if (!done) return;
  }
}

std::string Eraser::queue_mark(Connection& connection, std::string_view id) {
  std::string mark = fmt::format("{}{}", kErasedMark, to_base64url(id));
  connection.queue("INSERT INTO meta VALUES(?, '')", {mark});
  return mark;
}

void Eraser::erase(const std::string& mark) {
  const std::uint64_t ticket = ++asked_;
  const std::lock_guard lock(mutex_);
  if (done_ < ticket) {
    const std::uint64_t covers = asked_;
    if (auto cleaned = vacuum(); !cleaned) {
      log(LogLevel::warn, "store", "erased text is still in the database's files: " + cleaned.error().message);
      return;
    }
    done_ = covers;
  }
  static_cast<void>(
      pool_.with([&](Connection& connection) { return connection.ask("DELETE FROM meta WHERE name = ?", {mark}); }));
}

Result<void> Eraser::vacuum() {
  return pool_.with([](Connection& connection) -> Result<void> {
    for (const std::string_view table : {"entries", "session_texts", "sessions", "roots", "tags", "tallies", "keyed"}) {
      HF_CHECK(connection.ask(fmt::format("VACUUM (INDEX_CLEANUP ON) {}", table)));
    }
    return {};
  });
}

void Eraser::finish_old() {
  const auto marks = pool_.with([](Connection& connection) {
    return connection.ask("SELECT name FROM meta WHERE substring(name FROM 1 FOR 6) = 'scrub '");
  });
  if (!marks) return;
  for (int i = 0; i < marks->size(); ++i) erase(std::string((*marks)[i].text(0)));
}

Result<void> Writer::run(const Work& work) {
  const auto began = std::chrono::steady_clock::now();
  Result<void> outcome = run_until_settled(work);
  if (!context_.meter) return outcome;
  if (outcome) {
    context_.meter->committed(std::chrono::steady_clock::now() - began, 1);
  } else if (outcome.error().code == session::kStorageFailed || outcome.error().kind == ErrorKind::unavailable) {
    context_.meter->failed(outcome.error().message);
  }
  return outcome;
}

Result<void> Writer::run_until_settled(const Work& work) {
  if (!context_.read_only_reason.empty()) return fail(ErrorKind::refused, context_.read_only_reason);
  const auto until = pool_.deadline();
  LockPlan plan;
  for (int number = 0;; ++number) {
    HF_TRY(auto connection, pool_.take(until));
    Attempt attempt = this->attempt(*connection, work, plan);
    pool_.give_back(std::move(connection));
    if (!attempt.unclear.empty()) {
      auto took = took_place(attempt.unclear);
      if (!took) {
        return fail(ErrorKind::unavailable,
                    "the connection broke during a commit, and the database cannot be reached to ask whether it took place",
                    "look whether the change is there before making it again", std::string(kOutcomeUnknown));
      }
      if (*took) attempt.outcome = {};
      attempt.again = attempt.again && !*took;
    }
    // Beginning again with all names it knows by now is no waiting, and ends soon (locks.h): slow work has the time for it.
    if (!attempt.again || (attempt.pause && std::chrono::steady_clock::now() >= until)) {
      if (attempt.outcome && !attempt.scrub.empty()) eraser_.erase(attempt.scrub);
      return std::move(attempt.outcome);
    }
    if (attempt.pause) Pool::pause(number, until);
  }
}

Writer::Attempt Writer::attempt(Connection& connection, const Work& work, LockPlan& plan) {
  WriteTables tables(connection, context_, ahead_, plan);
  TableTransaction transaction(tables, context_);
  Attempt attempt;
  attempt.outcome = call(work, transaction);
  if (connection.lost()) {
    attempt.outcome = fail(ErrorKind::unavailable, "the connection to the database was lost");
    attempt.again = attempt.pause = true;
    return attempt;
  }
  const Failure failure = connection.failure();
  if (tables.restart() || failure != Failure::none || !attempt.outcome) {
    attempt.again = tables.restart() || failure == Failure::conflict;
    attempt.pause = failure == Failure::conflict;
    // Work that swallowed the error which ended its transaction must not be told that it succeeded.
    if (attempt.outcome) attempt.outcome = fail(ErrorKind::io, "the transaction was rolled back by the database");
    connection.send_last("ROLLBACK");
    return attempt;
  }
  if (!tables.has_written()) {
    // What was read, and may be answered, could be visible and not durable yet.
    connection.queue("ROLLBACK");
    if (auto durable = connection.ask(kMakeDurable); !durable) {
      attempt.outcome = fail(std::move(durable).error());
      attempt.again = attempt.pause = connection.lost();
    }
    return attempt;
  }
  const std::string id = random_bytes(kIdBytes);
  std::string scrub;
  connection.queue("INSERT INTO commits(id, fence) VALUES(?, 0)", {id});
  if (transaction.wants_scrub()) scrub = Eraser::queue_mark(connection, id);
  if (transaction.wants_wake()) connection.queue(kWake, {context_.channel, kWakePayload});
  static_cast<void>(tables.queue_writes());  // a line of PostgreSQL refuses nothing; the commit says how it went
  attempt = commit(connection, id, tables.tells_others() || transaction.wants_wake(), std::move(scrub));
  if (attempt.outcome) ahead_.learn(tables.looks());
  return attempt;
}

Writer::Attempt Writer::commit(Connection& connection, const std::string& id, bool wait_for_disk, std::string scrub) {
  connection.queue("COMMIT");
  if (wait_for_disk) connection.queue(kMakeDurable);
  const auto committed = connection.flush();
  Attempt attempt;
  attempt.scrub = std::move(scrub);
  if (committed) {
    const std::uint64_t commits = ++commits_;
    if (commits % kCheckEvery == 0) statistics_.check(connection);
    if (commits % kCleanEvery == 0) tidy_up(connection);
    return attempt;
  }
  attempt.outcome = fail(committed.error());
  attempt.unclear = id;
  attempt.again = connection.lost() || connection.failure() == Failure::conflict || connection.failure() == Failure::busy;
  attempt.pause = connection.failure() != Failure::busy;
  if (!connection.lost()) connection.send_last("ROLLBACK");
  return attempt;
}

Result<bool> Writer::took_place(const std::string& id) {
  return pool_.with([&](Connection& connection) -> Result<bool> {
    // Waits for the lost transaction when it is just about to commit.
    connection.queue("INSERT INTO commits(id, fence) VALUES(?, 1) ON CONFLICT DO NOTHING", {id});
    HF_CHECK(connection.flush());
    const std::size_t at = connection.queue("SELECT fence FROM commits WHERE id = ?", {id});
    connection.queue(kMakeDurable);
    HF_TRY(const auto answers, connection.flush());
    return !answers[at].empty() && answers[at][0].integer(0) == 0;
  });
}

void Writer::tidy_up(Connection& connection) {
  static_cast<void>(connection.ask(kFoldCounts));  // when it fails, sums are over more rows until the next time
  connection.send_last("DELETE FROM commits WHERE at < now() - interval '1 hour'");
}

}  // namespace holdfast::store::postgres
