#pragma once

// What a model is shown of a conversation (§9): the system prompt and the last messages that fit its window, as an array of
// roles.

#include "kinds/threads/threads.h"
#include "model/models.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::threads {

struct Context {
  std::vector<model::Message> messages;  // the system prompt first, if there is one; the last message is always there
  std::size_t shown = 0;                 // messages of the thread among them
  std::size_t damaged = 0;               // not shown, because they do not fit their hash
  std::int64_t left_out = 0;             // older ones that did not fit
  std::int64_t tokens = 0;               // of all of them, estimated
};

// Messages with a number up to `last`, within `budget` tokens (estimated) and kContextMessages. Notices and steps are no
// messages.
Result<Context> context_of(session::Reader& reader, std::string_view thread_id, std::string_view system_prompt, std::int64_t last,
                           std::int64_t budget);

// Tokens a prompt may have: the window without room for the answer.
std::int64_t prompt_budget(const model::Models& models, const model::Ask& ask);

struct Answered {
  model::Reply reply;
  std::vector<std::string> warnings;
};
// Asks with as much of the conversation as fits; `ask` brings everything but the messages. When the endpoint finds the prompt too
// long after all (its tokens are not our estimate), it is asked again with half of it, a few times.
Result<Answered> ask_in_context(model::Models& models, session::Reader& reader, std::string_view thread_id,
                                std::string_view system_prompt, std::int64_t last, model::Ask ask);

}  // namespace holdfast::threads
