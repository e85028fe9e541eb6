#pragma once

// archive and restore of a session that is kept in the store (design 8.24).

#include "cli/transcripts/transcript_work.h"
#include "kinds/transcripts/archive/archive_writer.h"
#include "session/record.h"

namespace holdfast::cli {

// An archive that goes to standard output, of any kind: json when that is asked for, else zst. Errors: invalid (--json wants
// standard output, too), refused (zst is nothing for a terminal).
Result<transcripts::ArchiveFormat> format_for_stdout(const Context& context, const operations::Given& given);

// `output` empty: ./<id>.json.zst; "-": standard output. Errors: invalid (a remote place), conflict (it exists).
Result<void> archive_kept_session(Context& context, TranscriptWork& work, const session::SessionRecord& record,
                                  std::string output);

// Whether the file holds such an archive; looks at its beginning, compressed or not.
Result<bool> is_kept_session(const Fd& file);
Result<void> restore_kept_session(Context& context, TranscriptWork& work, const Fd& file, const std::string& origin);

}  // namespace holdfast::cli
