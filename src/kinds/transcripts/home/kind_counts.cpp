#include "kinds/transcripts/home/kind_counts.h"

#include <array>

namespace holdfast::transcripts {
namespace {

struct CountField {
  std::string_view name;
  std::array<ArtifactKind, 2> kinds;  // twice the same where there is one
  bool single = false;
};
constexpr auto kCountFields = [] {
  using enum ArtifactKind;
  return std::array<CountField, 12>{{{"agent_files", {flat_agent, nested_agent}},
                                     {"agent_metadata", {agent_metadata, agent_metadata}},
                                     {"workflow_files", {workflow_journal, workflow_run}},
                                     {"plan_files", {plan, plan}},
                                     {"tool_results", {tool_result, tool_result}},
                                     {"todos", {todo, todo}},
                                     {"session_env", {session_env, session_env}},
                                     {"tasks", {task, task_metadata}},
                                     {"session_memory", {session_memory, session_memory}, true},
                                     {"debug_log", {debug_log, debug_log}, true},
                                     {"file_history", {file_history, file_history}},
                                     {"other", {other, other}}}};
}();

std::uint64_t count_of(const KindCounts& counts, ArtifactKind kind) {
  const auto found = counts.find(kind);
  return found == counts.end() ? 0 : found->second;
}

}  // namespace

void add_kind_counts(JsonObject& json, const KindCounts& counts, std::string_view ending) {
  for (const CountField& field : kCountFields) {
    const auto [a, b] = field.kinds;
    const std::uint64_t count = count_of(counts, a) + (a == b ? 0 : count_of(counts, b));
    const std::string name = std::string(field.name) + std::string(ending);
    if (field.single) {
      json[name] = count > 0;
    } else {
      json[name] = count;
    }
  }
}

std::uint64_t sum_of(const KindCounts& counts) {
  std::uint64_t sum = 0;
  for (const auto& [kind, count] : counts) sum += count;
  return sum;
}

Json text_or_null(std::string_view text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

}  // namespace holdfast::transcripts
