#pragma once

// What `session` can do with threads and research runs beyond what every kind can: get, resume, export, fork.

#include "kinds/research/run/run.h"
#include "kinds/threads/threads.h"
#include "tools/session/session_operations.h"

#include <functional>
#include <memory>

namespace holdfast::tools {

inline constexpr std::size_t kResumedMessages = 20;  // threads-and-research §8

// Threads and research over one view of the store: made for a call, gone before the view is.
struct Conversations {
  std::unique_ptr<threads::Threads> threads;
  std::unique_ptr<research::Research> research;
};
using OpenConversations = std::function<Conversations(session::Store&)>;

// What it opens with outlives the server.
void add_conversation_operations(SessionOperations& operations, const OpenConversations& open);

// The thread with its last messages; the same for `session resume`, `thread-get` and the command line.
JsonObject page_json(const threads::MessagePage& page);
// Status, and the report once the run is completed.
Result<JsonObject> run_json(research::Research& research, const std::string& principal, const session::SessionRecord& record);

// format markdown or json.
Result<std::string> export_thread(threads::Threads& threads, session::Reader& reader, const session::SessionRecord& record,
                                  std::string_view format);
Result<std::string> export_run(research::Research& research, const session::SessionRecord& record, std::string_view format);

}  // namespace holdfast::tools
