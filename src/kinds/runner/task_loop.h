#pragma once

// One task, from its text to its result (persistent-client §7): the model is asked, its calls are made and answered, until it has
// nothing more to call.
//
// A task that was interrupted goes on from what is known of it: the model is not asked again what it has answered, and a call
// that was made is not made again. One that was under way then is repeated only where that does no harm; of any other the model
// is told that it may have happened.
//
// Every call gets exactly one answer, in order, whatever happened; what goes wrong with a call is told to the model, and ends
// nothing. Blocks the calling thread; calls of tools that only read run beside each other.

#include "kinds/runner/result_text.h"
#include "model/models.h"

#include <chrono>
#include <compare>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::runner {

inline constexpr std::size_t kParallelCalls = 4;
inline constexpr int kRepeatsBeforeHint = 3, kRepeatsBeforeStuck = 6;

struct LoopLimits {
  std::int64_t max_rounds = 100;
  std::optional<std::int64_t> max_tokens;            // absent: automatic
  std::chrono::milliseconds call_timeout{60'000};    // of one call, without an answer or progress
  std::size_t max_result_bytes = kShownResultBytes;  // of one result that the model is shown
  std::size_t max_calls = 64;                        // in one answer of the model
  std::string model;
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  Json response_format;
};

// Which call: the round, and its position in the answer of that round.
struct CallPlace {
  std::int64_t round = 0;
  std::size_t position = 0;
  auto operator<=>(const CallPlace&) const = default;
};

// A round of an earlier process.
struct EarlierRound {
  model::Reply reply;
  // By position: calls that were begun. No outcome: the process ended before there was one.
  std::map<std::size_t, std::optional<ToolOutcome>> calls;
};
using Earlier = std::vector<EarlierRound>;

// What happens, as it happens; the run's journal and progress hang here. Nothing is told again of earlier rounds. All may be
// empty.
struct LoopEvents {
  std::function<void(std::int64_t round, const model::Reply& reply)> on_reply;
  std::function<void(CallPlace place, const model::ToolCall& call)> on_call;  // before it is made
  std::function<void(CallPlace place, const model::ToolCall& call, const ToolOutcome& outcome)> on_result;
};

struct LoopResult {
  std::string status;  // ok error max_rounds truncated stuck empty timeout cancelled
  std::string text, reasoning;
  std::int64_t rounds = 0, tool_calls = 0, tool_errors = 0;
  model::Tokens usage;
  std::optional<Error> error;
};

// messages: the conversation so far, ending with the task; what was said is appended to it, whole. earlier: what an earlier
// process had of this task; it counts like the rest.
LoopResult run_task_loop(model::Models& models, Tools& tools, std::vector<model::Message>& messages, const LoopLimits& limits,
                         const LoopEvents& events, const std::stop_token& stop, const Earlier& earlier = {});

}  // namespace holdfast::runner
