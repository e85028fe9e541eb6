#pragma once

// A store in a file copied to another file while it is in use, and put back.
//
// A backup is a whole store of its own, as it was at one moment, in one file without a log beside it. It is copied beside its
// name, verified there (every entry against its hashes), synced, and then given its name: what is called so is whole.
//
// Stores in a database are backed up by the database's means (docs/postgres.md).

#include "session/store.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace holdfast::store {

struct Backup {
  std::int64_t sessions = 0, entries = 0, bytes = 0;
  bool sound = true;      // false: the source was damaged, and so is its copy
  std::string put_aside;  // restore: where the store that was there before is now; empty when there was none
};

// Pages copied so far, and all of them.
using BackupProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

// Of the store at `url` into `file`. Others may read and write meanwhile. Errors: conflict (the file exists), refused (not a
// store in a file), not_found, io, corrupt.
Result<Backup> back_up(const std::string& url, const std::string& file, const BackupProgress& progress);

// What can be read of a damaged store.
struct Salvaged {
  std::int64_t sessions = 0, entries = 0, bytes = 0;
  std::vector<std::string> rebuilt;            // tables and indexes of which something was damaged
  std::vector<std::string> losses;             // what could not be read, in words
  std::vector<session::Verification> damaged;  // sessions of the copy that are not whole
};

// Everything that can be read of the store at `url` into `file`, a store of its own, verified. `url` is only read. What is lost
// is said, and shown as damage in the copy. Errors: as back_up; corrupt also when nothing can be read.
Result<Salvaged> salvage(const std::string& url, const std::string& file, const BackupProgress& progress);

struct RestoreRules {
  bool replace = false;      // a store that is there is put aside; else it is a conflict
  bool with_damage = false;  // a backup that is not sound is taken, too; else it is corrupt
};
// `file` becomes the store at `url`. Nobody may use that store: unavailable when somebody does. Errors besides: as above. Nothing
// has happened when there is one.
Result<Backup> restore(const std::string& file, const std::string& url, const RestoreRules& rules,
                       const BackupProgress& progress);

}  // namespace holdfast::store
