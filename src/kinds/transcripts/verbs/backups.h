#pragma once

// The backups that delete and move leave in <data>/deleted/: "<session id>-<YYYYmmdd-HHMMSS>.json", kept until a person removes
// them (design 8.9).

#include "base/result.h"
#include "base/run/clock.h"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::transcripts {

struct KeptBackup {
  std::string session_id;
  std::string path;  // absolute
  Millis made_at = 0;
};

// Newest first; of one session only the newest. Empty when the folder is not there.
Result<std::vector<KeptBackup>> newest_backups(const std::string& folder);

// The newest of the one session whose id starts with the text. Errors: not_found (names the folder), ambiguous.
Result<KeptBackup> find_backup(const std::string& folder, std::string_view id_or_prefix);

}  // namespace holdfast::transcripts
