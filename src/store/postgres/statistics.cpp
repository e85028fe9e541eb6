#include "store/postgres/statistics.h"

#include "base/run/run_guarded.h"

#include <fmt/format.h>

namespace holdfast::store::postgres {

namespace {

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

}  // namespace holdfast::store::postgres
