#pragma once

// Runs of tasks as values, for surfaces that show more of them than facts.

#include "kinds/runner/run.h"
#include "operations/parameter.h"

#include <string>

namespace holdfast::operations {

class Context;

// Begins the run that was asked for, or goes on with one, and works on it until it is over. What is wrong with the request is
// said before Context::runner() is asked for anything. Errors: invalid, those of finding the run, of Runs.
Result<runner::RunReport> work_on_run(Context& context, const Given& given);
// {resume}, or the newest that is not finished. Errors: not_found, ambiguous, invalid (not a run).
Result<std::string> run_to_resume(Context& context, const Given& given);
// {session}. Errors: as above.
Result<session::SessionRecord> named_run(Context& context, const std::string& id);

}  // namespace holdfast::operations
