#include "kinds/threads/context.h"
#include "kinds/threads/flows/flows.h"
#include "kinds/threads/flows/step.h"
#include "kinds/threads/flows/violations.h"
#include "kinds/threads/record.h"
#include "model/models.h"

#include <fmt/format.h>

namespace holdfast::threads {
namespace {

using session::Transaction;

constexpr double kMaxTemperature = 2.0;  // of the protocol
constexpr std::int64_t kMaxAnswerTokens = 10'000'000;

// A caller that lost the answer to its first message does not know the thread's id yet. For as long as a repetition is likely,
// the message's own id leads to the thread.
constexpr std::string_view kFirstMessages = "threads.first_message";
constexpr Millis kRemembered = 7 * 86'400'000LL;

Result<void> check(const model::Models& models, const ChatRequest& request) {
  Violations violations;
  violations.required("prompt", request.prompt);
  violations.text("prompt", request.prompt, kMaxPromptCharacters);
  violations.text("title", request.title, kMaxTitleCharacters);
  violations.text("system_prompt", request.system_prompt, kMaxPromptCharacters);
  violations.provider(models, request.provider);
  violations.client_id(request.client_msg_id);
  if (request.temperature && !(*request.temperature >= 0 && *request.temperature <= kMaxTemperature))
    violations.add(fmt::format("temperature must be from 0 to {}", kMaxTemperature));
  if (request.max_tokens) violations.between("max_tokens", *request.max_tokens, 1, kMaxAnswerTokens);
  return violations.result();
}

Incoming question(const ChatRequest& request) {
  Incoming incoming;
  incoming.role = "user";
  incoming.content = request.prompt;
  incoming.client_msg_id = request.client_msg_id;
  return incoming;
}

struct Asked {
  Kept kept;
  bool created = false;
};

Result<Asked> begin_thread(Transaction& transaction, const Who& who, const ChatRequest& request) {
  const std::string key = who.principal + '/' + client_key(request.client_msg_id);
  if (!request.client_msg_id.empty()) {
    HF_TRY(const auto known, transaction.value(kFirstMessages, key));
    if (known && known->value.is_string()) {
      HF_TRY(auto record, find_thread(transaction, who, view(known->value.as_string())));
      HF_TRY(Kept kept, keep_message(transaction, std::move(record), question(request)));
      return Asked{std::move(kept), false};
    }
  }
  NewThread thread;
  thread.title = request.title;
  thread.system_prompt = request.system_prompt;
  thread.provider = request.provider;
  HF_TRY(auto record, make_thread(transaction, who, thread));
  if (!request.client_msg_id.empty())
    HF_CHECK(transaction.put(kFirstMessages, key, Json(record.id), {}, transaction.now() + kRemembered));
  HF_TRY(Kept kept, keep_message(transaction, std::move(record), question(request)));
  return Asked{std::move(kept), true};
}

Result<Asked> continue_thread(Transaction& transaction, const Who& who, const ChatRequest& request, const ThreadLease& lease) {
  HF_CHECK(lease.require(transaction));
  HF_TRY(auto record, find_thread(transaction, who, request.thread_id));
  HF_TRY(Kept kept, keep_message(transaction, std::move(record), question(request)));
  return Asked{std::move(kept), false};
}

void tell_answer(ChatOutcome& outcome, const Message& answer) {
  outcome.message_id = answer.id;
  outcome.content = answer.content;
  outcome.provider = answer.provider;
  outcome.model = answer.model;
  outcome.tokens = answer.tokens;
}

model::Ask ask_of(const Who& who, const ChatRequest& request, const session::SessionRecord& record) {
  model::Ask ask;
  ask.purpose = "chat";
  ask.provider = request.provider.empty() ? setting_of(record, "provider") : request.provider;
  ask.model = request.model;
  ask.temperature = request.temperature;
  ask.max_tokens = request.max_tokens;
  ask.on_text = request.on_text;
  ask.cancelled = who.cancelled;
  return ask;
}

// The answer to a message that is kept already: the one given before, or a new one. An error means that there is none.
Result<void> answer(const Workplace& place, const ChatRequest& request, const ThreadLease& lease, const Kept& kept,
                    ChatOutcome& outcome) {
  session::Store& store = place.store;
  const Who& who = place.who;
  const std::string key = reply_key(kept.message.id);
  if (kept.replayed) {
    HF_TRY(const auto given, store.entry_with_key(outcome.thread_id, key));
    if (given && given->damage)
      return fail(ErrorKind::corrupt, fmt::format("the answer that was given is damaged: {}", *given->damage),
                  "ask again with another client_msg_id", "STORAGE_CORRUPT");
    if (given) {
      tell_answer(outcome, to_message(*given));
      return {};
    }
  }
  const std::string system_prompt =
      request.system_prompt.empty() ? setting_of(kept.record, "system_prompt") : request.system_prompt;
  HF_TRY(Answered answered, ask_in_context(place.models, store, outcome.thread_id, system_prompt, kept.message.seq,
                                           ask_of(who, request, kept.record)));
  Incoming incoming;
  incoming.role = "assistant";
  incoming.content = std::move(answered.reply.content);
  incoming.provider = std::move(answered.reply.provider);
  incoming.model = std::move(answered.reply.model);
  incoming.tokens = answered.reply.tokens;
  incoming.reply_to = kept.message.id;
  HF_TRY(const Kept stored, store.write([&](Transaction& transaction) -> Result<Kept> {
    HF_CHECK(lease.require(transaction));
    HF_TRY(auto record, find_thread(transaction, who, outcome.thread_id));  // deleted meanwhile: not brought back
    return keep_message(transaction, std::move(record), incoming, key);
  }));
  tell_answer(outcome, stored.message);
  outcome.message_count = message_count(stored.record);
  outcome.unarchived = outcome.unarchived || stored.unarchived;
  if (const std::string_view why = model::cut_off(answered.reply.finish_reason); !why.empty())
    answered.warnings.emplace_back(why);
  outcome.warnings.insert(outcome.warnings.end(), answered.warnings.begin(), answered.warnings.end());
  return {};
}

}  // namespace

Result<ChatOutcome> chat(const Workplace& place, const ChatRequest& request) {
  session::Store& store = place.store;
  const Who& who = place.who;
  HF_CHECK(check(place.models, request));
  std::optional<ThreadLease> lease;
  Asked asked;
  if (request.thread_id.empty()) {
    HF_TRY(asked, store.write([&](Transaction& transaction) { return begin_thread(transaction, who, request); }));
  } else {
    HF_CHECK(find_thread(store, who, request.thread_id));  // before anybody waits
    HF_TRY(ThreadLease taken, ThreadLease::take(store, who, request.thread_id, place.patience));
    lease.emplace(std::move(taken));
    HF_TRY(asked, store.write([&](Transaction& transaction) { return continue_thread(transaction, who, request, *lease); }));
  }
  const Kept& kept = asked.kept;
  ChatOutcome outcome;
  outcome.thread_id = kept.record.id;
  outcome.user_message_id = outcome.message_id = kept.message.id;
  outcome.message_count = message_count(kept.record);
  outcome.created = asked.created;
  outcome.unarchived = kept.unarchived;
  outcome.replayed = kept.replayed;
  if (kept.replayed && kept.message.content != request.prompt && !kept.message.redacted)
    outcome.warnings.push_back("this client_msg_id came before with another text; that text is the one that was kept");
  if (!kept.replayed) warn_of_passing_prompt(kept.record, request.system_prompt, outcome.warnings);

  if (!lease) {
    auto taken = ThreadLease::take(store, who, outcome.thread_id, place.patience);
    if (!taken) {
      outcome.failure = std::move(taken).error();
      return outcome;
    }
    lease.emplace(*std::move(taken));
  }
  if (auto answered = answer(place, request, *lease, kept, outcome); !answered) outcome.failure = std::move(answered).error();
  return outcome;
}

}  // namespace holdfast::threads
