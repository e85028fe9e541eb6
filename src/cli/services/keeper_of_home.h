#pragma once

#include "cli/program/context.h"
#include "kinds/transcripts/verbs/keeper.h"

namespace holdfast::cli {

// The verbs over the transcripts of this user: homes from the settings claude_dir and codex_dir, else where the clients have
// them. The context outlives it. Errors: invalid (a folder that is none), io.
Result<std::unique_ptr<transcripts::Keeper>> open_keeper(const Context& context,
                                                         std::function<Result<session::Store*>(bool to_read)> store);

// For servers, once when they start: ends what interrupted operations left in the homes, and logs it.
void end_what_died(const transcripts::Keeper& keeper);

}  // namespace holdfast::cli
