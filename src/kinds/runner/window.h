#pragma once

// Keeping a conversation within the model's window (persistent-client §7, end).
//
// What gives way, in this order, until it fits: results that the model has seen, arguments of calls it has made, the oldest
// rounds (and tasks before this one) beyond half of the room, results it has not seen yet (the longest first), all other rounds.
// Calls and their answers stay together; the instructions, the task and the newest round stay.

#include "base/result.h"
#include "model/models.h"

#include <cstdint>
#include <vector>

namespace holdfast::runner {

inline constexpr double kFullContext = 0.75;  // of the window: the rest is for the answer, and for estimates that are wrong

// ask: everything but the messages. task: where in them the task is; follows it. Errors: too_large with code CONTEXT_TOO_LARGE,
// when what has to stay does not fit: it must not be sent.
Result<void> fit_window(std::vector<model::Message>& messages, std::size_t& task, const model::Ask& ask, std::int64_t context);

}  // namespace holdfast::runner
