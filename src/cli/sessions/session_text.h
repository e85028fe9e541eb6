#pragma once

// Threads and research runs as a person reads them on a terminal; with --json as tools answer.

#include "cli/services/research_service.h"

namespace holdfast::cli {

// Commands that others go on with.
Result<void> show_session(Context& context);
Result<void> show_task_run(Context& context);
Result<void> print_brief(Context& context);

// The last `messages` of a thread.
Result<void> show_thread(const Context& context, ResearchService& service, const session::SessionRecord& record,
                         std::size_t messages);
// Status, then the report when it is completed.
Result<void> show_run(const Context& context, ResearchService& service, const session::SessionRecord& record);
// What went wrong on the way or was left out, beside what is printed (on stderr).
void print_warnings(const JsonObject& run);
void print_run_status(const Context& context, const JsonObject& status);

// How to go on with a run or a thread.
std::string how_to_resume(const std::string& id);

// What stands beside an entry of a run (kinds/runner/run.h) when it is shown: the task, the call with its arguments, how it
// ended. One line, "" when there is nothing to say. Untrusted words in it are what the model wrote.
std::string run_entry_note(const session::Entry& entry);

}  // namespace holdfast::cli
