#pragma once

// A second way from the same point: a new thread with the first messages of another (threads-and-research §16).

#include "kinds/threads/threads.h"

namespace holdfast::threads {

// Messages 1 to `seq`, with ids of their own and the times they had. What the state of an investigation or a board of ideas was
// at that point is not known any more, so the new thread is a chat. Errors: those of find_thread; VALIDATION_ERROR for a number
// that is not there.
Result<session::SessionRecord> fork_thread(session::Transaction& transaction, const Who& who, std::string_view thread_id,
                                           std::int64_t seq);

}  // namespace holdfast::threads
