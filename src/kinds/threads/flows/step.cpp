#include "kinds/threads/flows/step.h"

namespace holdfast::threads {

using session::SessionRecord;
using session::Transaction;

Result<Begun> begin_step(const Workplace& place, const NewThread& thread, std::string_view thread_id, std::string_view text,
                         std::string_view key, const JsonObject& state) {
  const bool fresh = thread_id.empty();
  if (!fresh) HF_CHECK(find_thread(place.store, place.who, thread_id, thread.kind));  // before anybody waits
  const std::string id = fresh ? new_thread_id() : std::string(thread_id);
  HF_TRY(ThreadLease lease, ThreadLease::take(place.store, place.who, id, place.patience));
  Incoming incoming;
  incoming.role = "user";
  incoming.content = text;
  HF_TRY(Kept kept, place.store.write([&](Transaction& transaction) -> Result<Kept> {
    HF_CHECK(lease.require(transaction));
    HF_TRY(SessionRecord record,
           fresh ? make_thread(transaction, place.who, thread, id) : find_thread(transaction, place.who, id, thread.kind));
    if (fresh && !state.empty()) {
      record.data[key] = state;
      HF_TRY(record, transaction.update(std::move(record)));
    }
    if (!text.empty()) return keep_message(transaction, std::move(record), incoming);
    Kept nothing;
    nothing.record = std::move(record);
    return nothing;
  }));
  Begun begun{std::move(kept.record), std::move(lease), std::nullopt};
  if (!text.empty()) begun.question = std::move(kept.message);
  return begun;
}

Result<KeptStep> keep_result(const Workplace& place, const Begun& begun, const StepResult& result) {
  return place.store.write([&](Transaction& transaction) -> Result<KeptStep> {
    HF_CHECK(begun.lease.require(transaction));
    KeptStep kept;
    HF_TRY(kept.record, find_thread(transaction, place.who, begun.record.id));
    if (!result.message.content.empty()) {
      HF_TRY(Kept message, keep_message(transaction, std::move(kept.record), result.message, result.message_key));
      kept.record = std::move(message.record);
      kept.message = std::move(message.message);
    }
    HF_CHECK(keep_step(transaction, kept.record, result.step));
    HF_TRY(kept.record, transaction.get(begun.record.id));
    if (!result.state.empty()) {
      kept.record.data[result.key] = result.state;
      HF_TRY(kept.record, transaction.update(std::move(kept.record)));
    }
    return kept;
  });
}

Incoming answer_of(const model::Reply& reply, std::string content, std::string_view reply_to) {
  Incoming incoming;
  incoming.role = "assistant";
  incoming.content = std::move(content);
  incoming.provider = reply.provider;
  incoming.model = reply.model;
  incoming.tokens = reply.tokens;
  incoming.reply_to = reply_to;
  return incoming;
}

}  // namespace holdfast::threads
