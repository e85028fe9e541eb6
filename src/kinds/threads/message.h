#pragma once

// A message as an entry of its session, and back (threads.h says how a thread is kept).

#include "kinds/threads/threads.h"
#include "reading/entry_reading.h"
#include "session/entry.h"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::threads {

inline constexpr std::string_view kMessageEntry = "message";
inline constexpr std::string_view kNoticeEntry =
    "notice";                                           // written by the sweep (session/life/notices.h); never sent to a model
inline constexpr std::string_view kStepEntry = "step";  // of thinkdeep, ideate, consensus: what was found out, as JSON

std::string new_thread_id();
std::string new_message_id();
bool is_thread_id(std::string_view id);  // thread-[a-zA-Z0-9]{8,16}

// What is asked for when a message is to be kept.
struct Incoming {
  std::string role;
  std::string content;
  std::string provider, model;
  model::Tokens tokens;
  std::string client_msg_id;
  std::string reply_to;  // id of the message this one answers
};

// The idempotency key under which an answer is found again.
std::string reply_key(std::string_view message_id, std::string_view provider = {});

session::NewEntry to_entry(const Incoming& incoming, std::string id, std::int64_t number, std::string key);
// Tolerates entries whose data was redacted.
Message to_message(const session::Entry& entry);
// Id of the message that this entry answers; empty when it answers none.
std::string answers(const session::Entry& entry);

// The last `limit` messages with a number up to `last` (absent: all), oldest first. Fewer when they are very long.
Result<std::vector<session::Entry>> last_messages(session::Reader& reader, std::string_view thread_id, std::size_t limit,
                                                  std::optional<std::int64_t> last = {});

// Puts the notices that were written between these messages in their places; with `newest` also those behind the last one.
Result<void> add_notices(session::Reader& reader, std::string_view thread_id, bool newest, std::vector<session::Entry>& entries);

// A message of a thread as a person reads it.

// For reading::EntryKinds.
bool turn_of_entry(const session::Entry& entry, const reading::ReadLimits& limits, reading::Turn& turn);

}  // namespace holdfast::threads
