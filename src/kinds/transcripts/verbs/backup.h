#pragma once

// The archive that is made, and read again, before a session is taken from where it is (transcript-archive §2, §8.5).

#include "kinds/transcripts/archive/archive_writer.h"
#include "kinds/transcripts/source/session_source.h"

namespace holdfast::transcripts {

struct Backup {
  std::string path;
  std::string sha256;
  std::string custom_title;  // of the session, as the archive has it
};

struct BackupOptions {
  std::string folder;           // made when missing
  bool without_shared = false;  // as ArchiveOptions
  std::string machine_id;
};

// Takes out what no archive can hold (a name that is not UTF-8, or has a backslash in it), so that it is neither lost nor in the
// way: it stays where it is. Gives the paths, fit to be shown.
std::vector<std::string> leave_what_no_backup_holds(Inventory& inventory);

// <folder>/<sid>-<YYYYmmdd-HHMMSS>.json (UTC), with "-2", "-3" behind it while the name is taken. Every file of the inventory but
// locks is in it, and what comes out when it is read again has the hashes of what went in. On error nothing of it stays.
// Errors: corrupt (it is not what it should be), those of write_archive.
Result<Backup> write_backup(SessionSource& source, const Inventory& inventory, const std::string& project_root,
                            const BackupOptions& options, Millis now, const Progress& progress);

// Of the file as it is; positions are given with every read, because the descriptor's own may be somebody else's.
Result<std::string> hash_of_archive(int archive);

// What a person types to have it back.
std::string undo_command(const std::string& backup_path);

// For operations that were told to keep none. A backup that cannot be removed is a warning, given back.
std::optional<std::string> drop_backup(Backup& backup);

// The backups that delete and move leave, kept until a person removes them (design 8.9).
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
