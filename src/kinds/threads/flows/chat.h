#pragma once

// One question and its answer (§9 chat). The question is durable before the model is asked; an answer is kept with the id of its
// question, so that a repeated call (client_msg_id) finds both.

#include "kinds/threads/workplace.h"

namespace holdfast::threads {

Result<ChatOutcome> chat(const Workplace& place, const ChatRequest& request);

}  // namespace holdfast::threads
