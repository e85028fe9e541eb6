#include "kinds/threads/context.h"

#include "kinds/threads/message.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::threads {
namespace {

constexpr std::int64_t kPerMessage = 4;        // tokens of role and separators
constexpr std::int64_t kAnswerShare = 4;       // a quarter of the window is kept for the answer unless the caller says how much
constexpr std::int64_t kSmallestBudget = 256;  // of a window so small that the answer would take all of it
constexpr int kShorterTries = 3;               // a prompt that is eight times too long is no matter of estimating

}  // namespace

std::int64_t prompt_budget(const model::Models& models, const model::Ask& ask) {
  const std::int64_t window = models.context_window(ask);
  return std::max(window - ask.max_tokens.value_or(window / kAnswerShare), kSmallestBudget);
}

Result<Context> context_of(session::Reader& reader, std::string_view thread_id, std::string_view system_prompt, std::int64_t last,
                           std::int64_t budget) {
  HF_TRY(const auto entries, last_messages(reader, thread_id, kContextMessages, last));
  std::int64_t used = system_prompt.empty() ? 0 : model::estimate_tokens(system_prompt) + kPerMessage;
  auto first = entries.end();
  while (first != entries.begin()) {
    if (std::prev(first)->damage) {  // nobody knows that it was said
      --first;
      continue;
    }
    const std::int64_t more = model::estimate_tokens(std::prev(first)->text) + kPerMessage;
    if (used + more > budget && first != entries.end()) break;
    used += more;
    --first;
  }
  Context context;
  context.tokens = used;
  if (!system_prompt.empty()) context.messages.push_back({"system", std::string(system_prompt)});
  for (auto entry = first; entry != entries.end(); ++entry) {
    if (entry->damage) {
      ++context.damaged;
      continue;
    }
    const Message message = to_message(*entry);
    context.messages.push_back({message.role, message.content});
  }
  context.shown = static_cast<std::size_t>(entries.end() - first) - context.damaged;
  context.left_out = last - static_cast<std::int64_t>(context.shown + context.damaged);
  return context;
}

Result<Answered> ask_in_context(model::Models& models, session::Reader& reader, std::string_view thread_id,
                                std::string_view system_prompt, std::int64_t last, model::Ask ask) {
  std::int64_t budget = prompt_budget(models, ask);
  for (int shorter = 0;; ++shorter) {
    HF_TRY(Context context, context_of(reader, thread_id, system_prompt, last, budget));
    ask.messages = std::move(context.messages);
    auto reply = models.complete(ask);
    if (reply) {
      Answered answered{*std::move(reply), {}};
      if (context.left_out > 0)
        answered.warnings.push_back(
            fmt::format("the model was shown the last {} of {} messages: more do not fit", context.shown, last));
      if (context.damaged > 0)
        answered.warnings.push_back(fmt::format("{} damaged {} not shown to the model", context.damaged,
                                                context.damaged == 1 ? "message was" : "messages were"));
      return answered;
    }
    const bool too_long = reply.error().code == "CONTEXT_TOO_LARGE" && context.shown > 1 && shorter < kShorterTries;
    if (!too_long) return fail(std::move(reply).error());
    if (ask.on_restart) ask.on_restart();
    budget = std::min(budget, context.tokens) / 2;
  }
}

}  // namespace holdfast::threads
