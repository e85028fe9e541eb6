#pragma once

// What can be done in a thread (§9), one step at a time.

#include "kinds/threads/flows/step.h"

namespace holdfast::threads {

// One question and its answer. The question is durable before the model is asked; an answer is kept with the id of its question,
// so that a repeated call (client_msg_id) finds both.
Result<ChatOutcome> chat(const Workplace& place, const ChatRequest& request);
// One step of an investigation.
Result<StepOutcome> thinkdeep(const Workplace& place, const ThinkdeepRequest& request);
// One action on a board of ideas.
Result<StepOutcome> ideate(const Workplace& place, const IdeateRequest& request);
// One question to several providers, and one outcome.
Result<StepOutcome> consensus(const Workplace& place, const ConsensusRequest& request);

// A second way from the same point (§16): a new thread with messages 1 to `seq` of another, with ids of their own and the times
// they had. What the state of an investigation or a board of ideas was at that point is not known any more, so the new thread is
// a chat. Errors: those of find_thread; VALIDATION_ERROR for a number that is not there.
Result<session::SessionRecord> fork_thread(session::Transaction& transaction, const Who& who, std::string_view thread_id,
                                           std::int64_t seq);

}  // namespace holdfast::threads
