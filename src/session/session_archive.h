#pragma once

// A session of the store as a document, and back (design 8.24): {"holdfast_session":1, kind, record, entries[], lineage[]}.
//
// Every kind but transcripts, which are archived as their files. What only one machine knows (handles, leases, notices, who may
// see it) is not part of it. The chain of hashes is made anew when it comes back, since it is bound to the id.
//
// A file that comes back is a stranger's: it is checked whole (shape, sizes, encodings) before anything is written, and written
// in one transaction or not at all.

#include "session/store.h"

#include <functional>

namespace holdfast::session {

// Uncompressed. Above any session this program keeps, and small enough to be looked at in memory.
inline constexpr std::size_t kMaxArchiveBytes = 512 * 1024 * 1024;
inline constexpr std::size_t kMaxArchivedEntries = 1'000'000;

// Whether a document that begins so is one of these.
bool looks_like_session_archive(std::string_view beginning);

// Writes it piece by piece; memory is that of a page of entries. `filter` is applied to every text (redaction); empty: none.
using TextFilter = std::function<std::string(std::string_view)>;
struct Written {
  std::int64_t entries = 0;
  std::uint64_t bytes = 0;
};
Result<Written> write_session_archive(Reader& reader, const SessionRecord& record, const TextFilter& filter,
                                      const std::function<Result<void>(std::string_view)>& sink);

struct SessionArchive {
  SessionRecord record;
  std::vector<NewEntry> entries;
  std::vector<LineageEvent> lineage;
};
// Errors: corrupt (not one of these, or damaged), too_large, refused (written by a later version).
Result<SessionArchive> read_session_archive(std::string_view text);

struct Restored {
  SessionRecord record;
  std::int64_t entries = 0;
  bool unchanged = false;  // it was there already, with exactly these entries
};
struct RestoreSessionOptions {
  std::string principal = "local";  // whose it becomes
  std::string origin;               // for the family tree
  bool new_id = false;              // under another id
  bool dry_run = false;             // only look; the record is what it would become
};
// Work that was going on when it was archived has ended: nobody does it here. Errors: conflict (there is another session of this
// id, or was one), those of the store.
Result<Restored> restore_session_archive(Store& store, const SessionArchive& archive, const RestoreSessionOptions& options);

}  // namespace holdfast::session
