#include "kinds/research/run/job.h"

#include "kinds/research/engine/evidence.h"
#include "kinds/research/run/run.h"
#include "session/kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace holdfast::research {

namespace {

// kLimits by member, so that a name cannot be misspelt in one of two places.
constexpr std::array<std::pair<std::string_view, std::int64_t Limits::*>, 9> kMembers = {{
    {"max_iterations", &Limits::max_iterations},
    {"max_sub_queries", &Limits::max_sub_queries},
    {"max_sources_per_query", &Limits::max_sources_per_query},
    {"max_concurrent", &Limits::max_concurrent},
    {"timeout_per_operation", &Limits::timeout_per_operation},
    {"task_timeout", &Limits::task_timeout},
    {"max_tokens_total", &Limits::max_tokens_total},
    {"max_llm_calls", &Limits::max_llm_calls},
    {"max_search_calls", &Limits::max_search_calls},
}};
static_assert(kMembers.size() == std::size(kLimits));

}  // namespace

Limits read_limits(const JsonObject* limits) {
  Limits read;
  for (std::size_t i = 0; i < kMembers.size(); ++i) {
    const LimitInfo& info = kLimits[i];
    const auto given = limits ? find_int(*limits, info.name) : std::nullopt;
    const bool fits = given && *given >= info.lowest && *given <= info.highest;
    read.*kMembers[i].second = fits ? *given : info.fallback;
  }
  return read;
}

JsonObject json_of(const Limits& limits) {
  JsonObject object;
  for (const auto& [name, member] : kMembers) object[name] = limits.*member;
  return object;
}

Job read_job(const session::SessionRecord& record) {
  Job job;
  job.id = record.id;
  job.principal = record.principal;
  job.root_uri = record.root_uri;
  job.title = record.title;
  job.query = text_in(record.data, "query");
  job.mode = text_in(record.data, "mode");
  job.clarify = text_in(record.data, "clarify");
  job.provider = text_in(record.data, "provider");
  if (const JsonObject* answers = find_object(record.data, "clarifications")) job.clarifications = *answers;
  job.follow_links = find_bool(record.data, "follow_links").value_or(true);
  job.search = strings_in(record.data, "search");
  job.corpus = strings_in(record.data, "corpus");
  job.projects = strings_in(record.data, "projects");
  job.limits = read_limits(find_object(record.data, "limits"));
  return job;
}

Result<session::SessionRecord> find_run(session::Reader& reader, std::string_view principal, std::string_view id) {
  auto record = reader.get(id);
  if (!record && record.error().kind == ErrorKind::not_found) {
    const bool purged = record.error().code == "gone";
    return fail(ErrorKind::not_found, record.error().message, record.error().hint, purged ? "GONE" : "NOT_FOUND");
  }
  if (!record) return record;
  if (record->kind != session::kResearch || record->principal != principal)
    return fail(ErrorKind::not_found, fmt::format("there is no research run {}", id), "deep-research-list shows those there are",
                "NOT_FOUND");
  if (record->visibility == session::Visibility::deleted)
    return fail(ErrorKind::refused, fmt::format("{} is deleted", id), "deep-research-restore brings it back", "DELETED");
  return record;
}

namespace {

// Gathering ends at four fifths, the last fifth belongs to the report.
constexpr std::int64_t kGatherTenths = 8;
// An operation gets at least this, so that the last call before the end can still fail for a reason of its own.
constexpr std::chrono::milliseconds kLeastOperation{1000};

bool is_spent(std::int64_t used, std::int64_t limit, std::int64_t tenths) {
  return limit > 0 && used * 10 >= limit * tenths;
}

}  // namespace

Usage read_usage(const JsonObject& data) {
  Usage usage;
  const JsonObject* used = find_object(data, "used");
  if (!used) return usage;
  usage.llm_calls = find_int(*used, "llm_calls").value_or(0);
  usage.search_calls = find_int(*used, "search_calls").value_or(0);
  usage.tokens.in = find_int(*used, "tokens_in").value_or(0);
  usage.tokens.out = find_int(*used, "tokens_out").value_or(0);
  usage.tokens.estimated = find_bool(*used, "tokens_estimated").value_or(false);
  usage.active_ms = find_int(*used, "active_ms").value_or(0);
  return usage;
}

JsonObject json_of(const Usage& usage) {
  return {{"llm_calls", usage.llm_calls},   {"search_calls", usage.search_calls},         {"tokens_in", usage.tokens.in},
          {"tokens_out", usage.tokens.out}, {"tokens_estimated", usage.tokens.estimated}, {"active_ms", usage.active_ms}};
}

std::optional<std::string_view> Budget::gathering() const {
  if (is_spent(usage_.active_ms, limits_.task_timeout * 1000, kGatherTenths)) return "budget_time";
  if (is_spent(usage_.tokens.in + usage_.tokens.out, limits_.max_tokens_total, kGatherTenths)) return "budget_tokens";
  if (limits_.max_search_calls > 0 && usage_.search_calls >= limits_.max_search_calls) return "budget_calls";
  return std::nullopt;
}

std::optional<std::string_view> Budget::model() const {
  if (is_spent(usage_.active_ms, limits_.task_timeout * 1000, kGatherTenths)) return "budget_time";
  if (const auto left = tokens_left(false); left && *left <= kLeastAnswer) return "budget_tokens";
  if (limits_.max_llm_calls > 0 && usage_.llm_calls + 1 >= limits_.max_llm_calls) return "budget_calls";  // the last is kept
  return std::nullopt;
}

std::optional<std::string_view> Budget::report() const {
  if (usage_.active_ms >= limits_.task_timeout * 1000) return "budget_time";
  if (const auto left = tokens_left(true); left && *left <= kLeastAnswer) return "budget_tokens";
  if (limits_.max_llm_calls > 0 && usage_.llm_calls >= limits_.max_llm_calls) return "budget_calls";
  return std::nullopt;
}

std::chrono::milliseconds Budget::operation_time() const {
  const std::chrono::milliseconds left(limits_.task_timeout * 1000 - usage_.active_ms);
  const std::chrono::milliseconds own(limits_.timeout_per_operation * 1000);
  return std::max(kLeastOperation, std::min(own, left));
}

std::optional<std::int64_t> Budget::tokens_left(bool for_report) const {
  if (limits_.max_tokens_total == 0) return std::nullopt;
  const std::int64_t all = for_report ? limits_.max_tokens_total : limits_.max_tokens_total * kGatherTenths / 10;
  return std::max<std::int64_t>(0, all - usage_.tokens.in - usage_.tokens.out);
}

}  // namespace holdfast::research
