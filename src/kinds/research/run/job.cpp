#include "kinds/research/run/job.h"

#include "kinds/research/engine/evidence.h"
#include "kinds/research/run/run.h"

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
  job.search = texts_in(record.data, "search");
  job.corpus = texts_in(record.data, "corpus");
  job.projects = texts_in(record.data, "projects");
  job.limits = read_limits(find_object(record.data, "limits"));
  return job;
}

}  // namespace holdfast::research
