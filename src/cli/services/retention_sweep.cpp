#include "cli/services/retention_sweep.h"

#include "base/run/log.h"
#include "base/run/pool.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::cli {

void RetentionSweep::start() {
  if (!policy_.auto_sweep) return;
  pool_.submit([this] { sweep({}, {}); });
  const std::chrono::milliseconds every(std::clamp<Millis>(policy_.sweep_every, 1000, std::chrono::milliseconds(kLook).count()));
  repeat(executor_, pool_, every, [this] { sweep({}, {}); });
}

void RetentionSweep::look(std::vector<std::string> leave_out) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  sweep(std::move(leave_out), [until] { return std::chrono::steady_clock::now() >= until; });
}

void RetentionSweep::sweep(std::vector<std::string> leave_out, std::function<bool()> cancelled) {
  if (!policy_.auto_sweep) return;
  auto swept = session::sweep_if_due(store_, policy_, clock_.now(), std::move(leave_out), std::move(cancelled), &last_);
  if (!swept) return log(LogLevel::warn, "cli", "what is due stays for now: " + swept.error().message);
  if (!*swept) return;
  const session::SweepReport& report = **swept;
  for (const std::string& failed : report.failed) log(LogLevel::warn, "cli", "not swept: " + failed);
  const std::size_t changed = report.archived.size() + report.deleted.size() + report.purged.size();
  if (changed == 0 && report.notices_created == 0) return;
  log(LogLevel::info, "cli",
      fmt::format("swept: {} notices, {} archived, {} deleted, {} purged", report.notices_created, report.archived.size(),
                  report.deleted.size(), report.purged.size()));
  on_change_();
}

}  // namespace holdfast::cli
