#pragma once

// What a run was asked to do, as its record keeps it (threads-and-research §10).

#include "base/json/json.h"
#include "session/record.h"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::research {

// The values of kLimits (run.h) for one run.
struct Limits {
  std::int64_t max_iterations = 0, max_sub_queries = 0, max_sources_per_query = 0, max_concurrent = 0;
  std::int64_t timeout_per_operation = 0, task_timeout = 0;                    // seconds
  std::int64_t max_tokens_total = 0, max_llm_calls = 0, max_search_calls = 0;  // 0: no limit
};
// Absent or impossible members get the fallback: check_start has refused them before.
Limits read_limits(const JsonObject* limits);
JsonObject json_of(const Limits& limits);

struct Job {
  std::string id, principal, root_uri, title;
  std::string query, mode, clarify, provider;
  JsonObject clarifications;  // question -> answer
  bool follow_links = true;
  std::vector<std::string> search, corpus, projects;
  Limits limits;
};
Job read_job(const session::SessionRecord& record);

inline std::string lease_name(std::string_view id) {
  return "research/" + std::string(id);
}

}  // namespace holdfast::research
