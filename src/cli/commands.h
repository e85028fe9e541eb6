#pragma once

// One function a command; each is in the file of its name. They print their result to stdout and return
// errors for run.cpp to print.

#include "cli/context.h"

namespace holdfast::cli {

Result<void> run_mcp(Context& context);
Result<void> run_serve(Context& context);
Result<void> list_sessions(Context& context);
Result<void> show_session(Context& context);
Result<void> show_store(Context& context);
Result<void> verify_store(Context& context);
Result<void> add_token(Context& context);
Result<void> list_tokens(Context& context);
Result<void> revoke_token(Context& context);
Result<void> print_login(Context& context);
Result<void> print_completion(Context& context);

}  // namespace holdfast::cli
