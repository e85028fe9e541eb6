#pragma once

// --launch: becomes the client, in the session's folder.

#include "cli/transcripts/transcript_work.h"

namespace holdfast::cli {

// Before any work: refused inside a running session (a client in a client saves no transcript), and when there is no such
// program. Does nothing without --launch. product: "claude" or "codex". Errors: refused, not_found.
Result<void> check_launch(const Context& context, const TranscriptWork& work, std::string_view product);

// Returns only when it could not be started.
Result<void> launch(const Context& context, std::string_view product, const std::string& folder, const std::string& session_id);

}  // namespace holdfast::cli
