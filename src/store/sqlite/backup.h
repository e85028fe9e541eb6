#pragma once

// Whole SQLite files, copied while they are in use and made ready for being moved. store/backup.h says what for.

#include "store/backup.h"
#include "store/sqlite/mend.h"

namespace holdfast::store {

// `from` as it is at one moment, whoever writes to it meanwhile, into the new file `to` (mode 0600): one file without a log,
// synced. `from` is only read. Errors: not_found, io, corrupt (not a store).
Result<void> copy_sqlite_file(const std::string& from, const std::string& to, const BackupProgress& progress);

// The same of a file that is damaged, with its trees made anew in the copy where something of them cannot be read.
Result<Mended> salvage_sqlite_file(const std::string& from, const std::string& to, const BackupProgress& progress);

// Folds the log into the file, so that it may be renamed by itself. unavailable while any other process has it open.
Result<void> close_sqlite_file(const std::string& path);

}  // namespace holdfast::store
