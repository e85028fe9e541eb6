#pragma once

// A store in a file copied to another file while it is in use, and put back.
//
// A backup is a whole store of its own, as it was at one moment, in one file without a log beside it. It is copied beside its
// name, verified there (every entry against its hashes), synced, and then given its name: what is called so is whole.
//
// Stores in a database are backed up by the database's means (docs/postgres.md).

#include "base/result.h"

#include <cstdint>
#include <functional>
#include <string>

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

// `file` becomes the store at `url`. With `replace` one that is there is put aside; else conflict. Nobody may use that store:
// unavailable when somebody does. Errors besides: as above; corrupt when the backup is not sound, and nothing has happened then.
Result<Backup> restore(const std::string& file, const std::string& url, bool replace, const BackupProgress& progress);

}  // namespace holdfast::store
