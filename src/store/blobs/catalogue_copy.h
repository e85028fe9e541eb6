#pragma once

// A second copy of the guard's catalogue, beside the packs: without names and lists of chunks they are a heap of bytes.
//
// It is a copy as of some moment (packs/<n>.names) and what has changed since (packs/<n>.changes), one record a commit, written
// and synced before the catalogue commits. The catalogue says how much of the changes counts, as it does of packs; a new pair is
// made when the changes have grown larger than the copy. Who holds the writing lock calls these, one thread.

#include "base/result.h"
#include "store/sqlite/db.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::store {

struct CopyPlace {
  std::int64_t number = 0;  // 0: there is none yet
  std::uint64_t size = 0;   // of the changes that count
};

// What the catalogue knows of it, in a table of numbers; older ones know nothing.
Result<CopyPlace> copy_place(Db& db);
Result<void> put_copy_place(Db& db, const CopyPlace& place);

// Appends and syncs; answers how large the changes are then.
Result<CopyPlace> append_changes(const std::string& packs, const CopyPlace& place, std::string_view changes);
// The highest number that is taken, 0 when there is none; what all copies take.
std::int64_t newest_copy(const std::string& packs);
std::uint64_t copied_bytes(const std::string& packs);
// Whether a new copy would be smaller than the changes.
bool is_copy_outgrown(const std::string& packs, const CopyPlace& place);
// Under that number, synced; not in a transaction.
Result<void> make_copy(Db& db, const std::string& packs, std::int64_t number);
// All copies but this one; with number 0 none.
void remove_copies_but(const std::string& packs, std::int64_t number);

// Whether it could be made anew from this copy. Errors: corrupt, io.
Result<void> check_copy(const std::string& packs, const CopyPlace& place, const std::string& vfs);

// Makes the catalogue at `path`, which must not exist, from the newest copy that can be read. Errors: not_found (there is no
// copy), corrupt (none that can be read).
Result<void> rebuild_catalogue(const std::string& packs, const std::string& path, const std::string& vfs);

}  // namespace holdfast::store
