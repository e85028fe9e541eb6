#pragma once

// The record of a thread: finding it, making it, and adding a message to it. All inside of a transaction or over a reader.

#include "kinds/threads/message.h"
#include "kinds/threads/threads.h"

#include <string>
#include <string_view>

namespace holdfast::threads {

// The thread of that id, if it is the caller's and can be talked to. Errors: INVALID_ID (before the store is touched), NOT_FOUND
// (also for one of somebody else), DELETED, GONE, STORAGE_CORRUPT.
Result<session::SessionRecord> find_thread(session::Reader& reader, const Who& who, std::string_view id);
// Likewise, and of that kind: VALIDATION_ERROR otherwise.
Result<session::SessionRecord> find_thread(session::Reader& reader, const Who& who, std::string_view id, std::string_view kind);

Result<session::SessionRecord> make_thread(session::Transaction& transaction, const Who& who, const NewThread& thread,
                                           std::string id = new_thread_id());

// What a client's own id of a message is known by. A digest: it stands where redaction cannot reach.
std::string client_key(std::string_view client_msg_id);

struct Kept {
  Message message;
  session::SessionRecord record;
  bool unarchived = false;
  bool replayed = false;  // the key was known: `message` is the one that was kept then
};
// The next message of the thread. Brings an archived thread back to live, makes a created one active with the first message of a
// user (§3 rows 2, 3, 5). With a key (or a client_msg_id, which is one) nothing is written twice.
Result<Kept> keep_message(session::Transaction& transaction, session::SessionRecord record, const Incoming& incoming,
                          std::string key = {});
// What was found out in a step, beside the messages: activity.
Result<void> keep_step(session::Transaction& transaction, const session::SessionRecord& record, const JsonObject& step);

std::string setting_of(const session::SessionRecord& record, std::string_view key);  // text in its data; empty: none
// A system prompt given with a call on a thread that was made with another one, or with none, is not kept: says so.
void warn_of_passing_prompt(const session::SessionRecord& record, std::string_view prompt, std::vector<std::string>& warnings);
inline std::int64_t message_count(const session::SessionRecord& record) {
  return record.count_of(kMessageEntry);
}

}  // namespace holdfast::threads
