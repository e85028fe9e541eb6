#pragma once

// One task, from its text to its result (persistent-client §7): the model is asked, its calls are made and answered, until it has
// nothing more to call.
//
// Every call gets exactly one answer, in order, whatever happened; what goes wrong with a call is told to the model, and ends
// nothing. Blocks the calling thread; calls of tools that only read run beside each other.

#include "model/models.h"
#include "runner/tools.h"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::runner {

inline constexpr std::size_t kParallelCalls = 4;
inline constexpr int kRepeatsBeforeHint = 3, kRepeatsBeforeStuck = 6;
inline constexpr double kFullContext = 0.75;  // above this share of it old results are shortened

struct LoopLimits {
  std::int64_t max_rounds = 100;
  std::optional<std::int64_t> max_tokens;  // absent: automatic
  std::string model;
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  Json response_format;
};

// What happens, as it happens; the run's journal and progress hang here. All may be empty.
struct LoopEvents {
  std::function<void(std::int64_t round, const model::Reply& reply)> on_reply;
  std::function<void(const model::ToolCall& call)> on_call;
  std::function<void(const model::ToolCall& call, const ToolOutcome& outcome)> on_result;
};

struct LoopResult {
  std::string status;  // ok error max_rounds truncated stuck empty timeout cancelled
  std::string text, reasoning;
  std::int64_t rounds = 0, tool_calls = 0, tool_errors = 0;
  model::Tokens usage;
  std::optional<Error> error;
};

// messages: the conversation so far, ending with the task; what was said is appended to it, whole.
LoopResult run_task_loop(model::Models& models, Tools& tools, std::vector<model::Message>& messages, const LoopLimits& limits,
                         const LoopEvents& events, const std::stop_token& stop);

}  // namespace holdfast::runner
