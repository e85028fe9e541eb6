#pragma once

// Threads and research runs as a person reads them on a terminal; with --json as tools answer.

#include "cli/sessions/session_work.h"

namespace holdfast::cli {

// Commands that others go on with.
Result<void> show_session(Context& context);
Result<void> show_task_run(Context& context);
Result<void> print_brief(Context& context);

// The last messages of a thread, or the status of a run and its report when it is completed.
Result<void> show_where_it_stands(SessionWork& work, const Context& context, const session::SessionRecord& record);
// What went wrong on the way or was left out, beside what is printed (on stderr).
void print_warnings(const JsonObject& facts);
void print_run_status(const Context& context, const JsonObject& status);
void print_report(const Context& context, const JsonObject& report);

// How to go on with a run.
std::string how_to_resume(const std::string& id);

// What stands beside an entry of a run (kinds/runner/run.h) when it is shown: the task, the call with its arguments, how it
// ended. One line, "" when there is nothing to say. Untrusted words in it are what the model wrote.
std::string run_entry_note(const session::Entry& entry);

}  // namespace holdfast::cli
