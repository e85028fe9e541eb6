#pragma once

// What a run was asked to do, as its record keeps it, and what it may still spend (threads-and-research §10).

#include "base/json/json.h"
#include "model/models.h"
#include "session/record.h"
#include "session/store.h"

#include <chrono>
#include <optional>
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

// A run by its id, for whom it belongs to; what belongs to others does not exist for them. Errors: not_found (also for a session
// of another kind; code GONE when it was purged), refused with code DELETED.
Result<session::SessionRecord> find_run(session::Reader& reader, std::string_view principal, std::string_view id);

inline std::string lease_name(std::string_view id) {
  return "research/" + std::string(id);
}

struct Usage {
  std::int64_t llm_calls = 0, search_calls = 0;
  model::Tokens tokens;
  Millis active_ms = 0;  // of work; stalled time does not count
};
Usage read_usage(const JsonObject& data);  // data.used
JsonObject json_of(const Usage& usage);

// Of tokens: an answer of the model in which something can stand. With less left, it is not asked.
inline constexpr std::int64_t kLeastAnswer = 400;

// What a run may still spend (threads-and-research §10).
//
// A spent budget never loses work: gathering ends while a fifth of time and tokens is left, and the report is written from what
// is there. Values: made from one moment's usage.
class Budget {
 public:
  Budget(const Limits& limits, const Usage& usage) : limits_(limits), usage_(usage) {}

  // Why nothing more may be gathered: "budget_time", "budget_tokens", "budget_calls"; nullopt while it may.
  std::optional<std::string_view> gathering() const;
  // Why a model must not be asked for anything but the report.
  std::optional<std::string_view> model() const;
  // Why not even for the report.
  std::optional<std::string_view> report() const;
  // For one operation: its own limit, or what is left of the whole.
  std::chrono::milliseconds operation_time() const;
  // Tokens a prompt and its answer may still take, for the report or for anything before it; nullopt: no limit.
  std::optional<std::int64_t> tokens_left(bool for_report) const;

 private:
  Limits limits_;
  Usage usage_;
};

}  // namespace holdfast::research
