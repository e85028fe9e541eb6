#pragma once

// archive and restore of a session that is kept in the store (design 8.24).

#include "cli/transcript_work.h"
#include "session/record.h"

namespace holdfast::cli {

// `output` empty: ./<id>.json.zst. Errors: invalid (a remote place), conflict (it exists).
Result<void> archive_kept_session(Context& context, TranscriptWork& work, const session::SessionRecord& record,
                                  std::string output);

// Whether the file holds such an archive; looks at its beginning, compressed or not.
Result<bool> is_kept_session(const Fd& file);
Result<void> restore_kept_session(Context& context, TranscriptWork& work, const Fd& file, const std::string& origin);

}  // namespace holdfast::cli
