#include "store/postgres/locks.h"

#include "base/crypto/hash.h"
#include "session/length_prefix.h"

#include <fmt/format.h>

namespace holdfast::store::postgres {

namespace {

// Names one transaction locks one by one. The server has room for 6,400 in all by default.
constexpr std::size_t kMaxNames = 40;

// Then somebody else is always quicker, and the store is locked.
constexpr int kMaxLockAttempts = 4;

constexpr std::string_view kWait = "SELECT pg_advisory_xact_lock(?)";
// One after the other, as the lists say.
constexpr std::string_view kWaitForAll =
    "SELECT CASE shared WHEN 1 THEN pg_advisory_xact_lock_shared(key) ELSE pg_advisory_xact_lock(key) END "
    "FROM unnest(?, ?) AS wanted(key, shared)";
constexpr std::string_view kWaitForTurn =
    "SELECT pg_advisory_xact_lock(?), set_config('synchronous_commit', 'off', true), pg_notify(convert_from(?, 'UTF8'), '')";
// Dividing by zero (kBusyState) stops what stands behind it in the line, the COMMIT perhaps among it.
constexpr std::string_view kTry = "SELECT 1 / pg_try_advisory_xact_lock(?)::int";
constexpr std::string_view kTryShared = "SELECT 1 / pg_try_advisory_xact_lock_shared(?)::int";

}  // namespace

std::int64_t Locks::key_of(std::string_view kind, std::string_view name) const {
  std::string all;
  for (const std::string_view part : {store_, kind, name}) session::put_string(all, part);
  return session::get_integer(bytes_of(sha256(all)).substr(0, sizeof(std::int64_t)));
}

void Locks::begin() {
  connection_.begin();
  if (++plan_.attempts > kMaxLockAttempts || plan_.wanted.size() > kMaxNames) plan_.everything = true;
}

// Locks the store, or shares it and locks the names of the plan.
void Locks::start() {
  if (std::exchange(started_, true)) return;
  const std::int64_t all = key_of("store", "");
  if (plan_.everything) {
    connection_.queue(kWait, {all});
    return;
  }
  std::vector<std::int64_t> keys{all}, shared{1};
  for (const auto& [key, mode] : plan_.wanted) {
    keys.push_back(key);
    shared.push_back(mode == LockMode::shared ? 1 : 0);
  }
  connection_.queue(kWaitForAll, {Param::numbers(keys), Param::numbers(shared)});
  held_ = plan_.wanted;
}

void Locks::expect(std::string_view kind, std::string_view name, LockMode mode) {
  if (started_) return;
  LockMode& planned = plan_.wanted.try_emplace(key_of(kind, name), mode).first->second;
  if (mode == LockMode::exclusive) planned = mode;
}

void Locks::want(std::string_view kind, std::string_view name, LockMode mode) {
  if (plan_.everything) return start();  // or about to start again
  const std::int64_t key = key_of(kind, name);
  const auto held = held_.find(key);
  if (held != held_.end() && (held->second == LockMode::exclusive || mode == LockMode::shared)) return;
  LockMode& planned = plan_.wanted.try_emplace(key, mode).first->second;
  if (mode == LockMode::exclusive) planned = mode;
  if (!started_) return start();
  connection_.queue(mode == LockMode::shared ? kTryShared : kTry, {key});
  held_[key] = mode;
  if (held_.size() > kMaxNames) plan_.everything = restart_ = true;
}

Result<void> Locks::want_everything() {
  if (plan_.everything && !restart_) {
    start();
    return {};
  }
  plan_.everything = restart_ = true;
  return fail(ErrorKind::unavailable, "the transaction starts again");
}

void Locks::queue_sequence_lock(std::string_view channel) {
  if (std::exchange(sequence_held_, true)) return;
  connection_.queue(kWaitForTurn, {key_of("sequence", ""), channel});
}

}  // namespace holdfast::store::postgres
