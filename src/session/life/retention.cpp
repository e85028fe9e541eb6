#include "session/life/retention.h"

#include "session/life/kind_life.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace holdfast::session {

namespace {

std::optional<Millis> days(double count) {
  if (count <= 0) return std::nullopt;
  return static_cast<Millis>(count * static_cast<double>(kDay));
}

// A period from config.json may be absurdly long: then it never ends.
Millis later(Millis since, Millis period) {
  Millis sum = 0;
  return __builtin_add_overflow(since, period, &sum) ? std::numeric_limits<Millis>::max() : sum;
}

std::optional<NextStep> after(Step step, Millis since, std::optional<Millis> period) {
  if (!period) return std::nullopt;
  return NextStep{step, later(since, *period)};
}

std::optional<NextStep> next_of_live(const SessionRecord& record, const RetentionPolicy::Clocks& clocks) {
  if (is_busy(record)) return std::nullopt;
  const Millis active = std::max(record.last_activity_at, record.created_at);
  if (life_of(record.kind).clock == ArchiveClock::activity) return after(Step::archive, active, clocks.archive_after);
  if (record.status == "completed")
    return after(Step::archive, record.retention_anchor_at.value_or(record.completed_at.value_or(active)), clocks.archive_after);
  return after(Step::archive, active, clocks.failed_archive_after);
}

std::string period_text(std::optional<Millis> period) {
  return period ? std::to_string(*period) : "-";
}

}  // namespace

std::string_view name_of(Step step) {
  switch (step) {
    case Step::archive:
      return "archive";
    case Step::remove:
      return "delete";
    case Step::purge:
      return "purge";
  }
  return "archive";
}

std::optional<Step> parse_step(std::string_view name) {
  for (const Step step : {Step::archive, Step::remove, Step::purge})
    if (name_of(step) == name) return step;
  return std::nullopt;
}

RetentionPolicy::RetentionPolicy() {
  for (const KindLife& life : kind_lives()) {
    Clocks clocks;
    clocks.archive_after = days(life.archive_days);
    clocks.delete_after = days(life.delete_days);
    clocks.archive_lead = days(life.archive_lead_days).value_or(0);
    kinds.emplace(life.kind, clocks);
  }
}

Millis RetentionPolicy::lead(std::string_view kind, Step step) const {
  if (step == Step::remove) return delete_lead;
  if (step == Step::purge) return purge_lead;
  const auto row = kinds.find(kind);
  return row == kinds.end() ? 0 : row->second.archive_lead;
}

std::string RetentionPolicy::fingerprint() const {
  std::string text = fmt::format("1 purge {}", period_text(purge_after));
  for (const auto& [kind, clocks] : kinds)
    text += fmt::format(" {} {} {} {}", kind, period_text(clocks.archive_after), period_text(clocks.delete_after),
                        period_text(clocks.failed_archive_after));
  return text;
}

std::optional<NextStep> next_step(const SessionRecord& record, const RetentionPolicy& policy) {
  if (record.pinned || record.damage) return std::nullopt;
  if (record.visibility == Visibility::deleted)
    return after(Step::purge, record.deleted_at.value_or(record.updated_at), policy.purge_after);
  const auto clocks = policy.kinds.find(record.kind);
  if (clocks == policy.kinds.end()) return std::nullopt;
  if (record.visibility == Visibility::archived)
    return after(Step::remove, record.archived_at.value_or(record.updated_at), clocks->second.delete_after);
  return next_of_live(record, clocks->second);
}

std::optional<Millis> restorable_until(const SessionRecord& record, const RetentionPolicy& policy) {
  if (record.visibility != Visibility::deleted || !policy.purge_after) return std::nullopt;
  return later(record.deleted_at.value_or(record.updated_at), *policy.purge_after);
}

std::function<std::optional<Millis>(const SessionRecord&)> due_rule(RetentionPolicy policy) {
  return [policy = std::move(policy)](const SessionRecord& record) -> std::optional<Millis> {
    const auto next = next_step(record, policy);
    return next ? std::optional(next->due) : std::nullopt;
  };
}

}  // namespace holdfast::session
