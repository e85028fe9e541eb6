#include "cli/program/care_settings.h"

#include "session/kinds.h"

#include <fmt/format.h>

#include <limits>

namespace holdfast::cli {

namespace {

// Longer than anything lives; a period of more days would not fit the milliseconds.
constexpr double kMostDays = 1e9;

Millis days(double count) {
  return static_cast<Millis>(std::min(count, kMostDays) * static_cast<double>(session::kDay));
}

std::optional<Millis> period(const Settings& settings, std::string_view name) {
  const double count = settings.decimal(name);
  if (count <= 0) return std::nullopt;
  return std::max<Millis>(1, days(count));
}

}  // namespace

session::RetentionPolicy retention_policy(const Settings& settings) {
  session::RetentionPolicy policy;
  const auto set = [&](std::string_view kind, std::string_view archive, std::string_view remove) -> auto& {
    auto& clocks = policy.kinds[std::string(kind)];
    clocks.archive_after = period(settings, archive);
    clocks.delete_after = period(settings, remove);
    return clocks;
  };
  constexpr std::string_view kOnceArchived = "retention.delete_after_archived_days";
  auto& thread = set(session::kThread, "retention.thread_archive_days", kOnceArchived);
  thread.archive_lead = days(settings.decimal("notice.lead_thread_archive_days"));
  auto& research = set(session::kResearch, "retention.research_archive_days", kOnceArchived);
  research.archive_lead = days(settings.decimal("notice.lead_research_archive_days"));
  research.failed_archive_after = period(settings, "retention.failed_archive_days");
  for (std::string_view kind : {session::kReasoning, session::kDocument, session::kRun})
    set(kind, fmt::format("retention.{}_archive_days", kind), fmt::format("retention.{}_delete_days", kind));
  policy.purge_after = period(settings, "retention.purge_after_deleted_days");
  policy.delete_lead = days(settings.decimal("notice.lead_delete_days"));
  policy.purge_lead = days(settings.decimal("notice.lead_purge_days"));
  policy.notice_min = settings.seconds("notice.min_s");
  policy.sweep_every = settings.seconds("retention.sweep_interval_s");
  policy.auto_sweep = settings.flag("retention.auto_sweep");
  return policy;
}

Result<tools::GateSettings> gate_settings(const Settings& settings) {
  const std::string& fallback = settings.text("gate.fallback");
  if (fallback != "token" && fallback != "refuse")
    return fail(ErrorKind::invalid, fmt::format("gate.fallback: {} is neither token nor refuse", fallback));
  tools::GateSettings gate;
  gate.token_fallback = fallback == "token";
  gate.patience = std::chrono::seconds(settings.number("gate.timeout_s"));
  gate.token_ttl = settings.seconds("gate.token_ttl_s");
  return gate;
}

}  // namespace holdfast::cli
