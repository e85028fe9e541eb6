#pragma once

// The files chunks are packed in: frames one behind the other, appended and never changed; and the way back, from a chunk's
// number to its bytes.
//
// There are two that grow. Whole frames go to the one; what a commit leaves over, often a line, to the other, the loose one,
// which is packed anew when it is large enough. The catalogue says how much of a pack is valid: what stands behind that was
// written by somebody who did not come to commit, and is cut off by the next who writes.

#include "base/files/fd.h"
#include "base/result.h"
#include "base/run/recent.h"
#include "store/blobs/blob_rows.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>

namespace holdfast::store {

inline constexpr std::uint64_t kPackBytes = 64 * 1024 * 1024;  // then a new one: what is rewritten at once stays small

std::string pack_path(const std::string& folder, std::int64_t pack);

// Frames of one transaction. append() from any thread; the rest from the thread that owns it. Who ends the transaction otherwise
// than by sync() and a commit just throws this away.
class PackWriter {
 public:
  // `next` is the first number that is free.
  PackWriter(std::string folder, const std::vector<PackRow>& packs, std::int64_t next);

  // Nothing more goes into this one. Before anything did.
  void leave(std::int64_t pack);

  struct Place {
    std::int64_t pack = 0;
    std::uint64_t start = 0;
  };
  Result<Place> append(std::string_view frame, bool loose);
  Result<void> sync();  // what was appended, and the names of new packs

  std::int64_t next() const { return next_; }
  std::vector<PackRow> changed() const;
  std::uint64_t bytes() const { return bytes_; }  // appended

 private:
  struct Open {
    PackRow row;
    Fd file;
    bool changed = false;
  };
  Result<Open*> current(bool loose, std::size_t room);

  std::string folder_;
  std::int64_t next_;
  std::atomic<std::uint64_t> bytes_ = 0;
  bool new_names_ = false;
  std::mutex mutex_;
  std::map<bool, Open> current_;  // by loose
  std::vector<Open> full_;
};

// Exactly these bytes. Errors: not_found (the pack is gone: it was packed anew, or lost), corrupt (it is shorter), io.
Result<std::string> read_frame(const std::string& folder, const FrameRow& frame);

// After a catalogue was made anew packs that it does not name may hold what was kept last: they go into a folder of their own.
Result<void> set_unnamed_packs_aside(const std::string& folder, const std::vector<PackRow>& packs);
// Files of packs that the catalogue does not name.
Result<void> remove_unnamed_packs(const std::string& folder, const std::vector<PackRow>& packs);

using FrameBytes = std::shared_ptr<const std::string>;

// Unpacked frames that were used lately: who reads a file from front to end needs each frame for some sixteen chunks. Any thread.
struct FrameCache : Recent<std::int64_t, FrameBytes> {
  explicit FrameCache(std::size_t max_bytes) : Recent(max_bytes, [](const FrameBytes& bytes) { return bytes->size(); }) {}
};

// Chunks out of their packs, by their number, compared with their hash.
//
// Made over the connection of whoever reads; that one says how it is shared (`mutex`). Any thread.
class ChunkReader {
 public:
  // Frames that are not in the catalogue yet: the writer's own. nullptr: not one of them.
  using Unwritten = std::function<Result<FrameBytes>(std::int64_t frame)>;

  ChunkReader(Db& db, std::mutex& mutex, FrameCache& cache, std::string packs, Unwritten unwritten = {})
      : db_(db), mutex_(mutex), cache_(cache), packs_(std::move(packs)), unwritten_(std::move(unwritten)) {}

  // Errors: corrupt (damaged, or lost; names the chunk and the pack), io.
  Result<std::string> read(std::int64_t chunk);
  // Where it lies in its frame; the bytes are not compared with any hash. Errors: as above; not_found when the pack is gone.
  Result<FrameBytes> unpack(const FrameRow& frame);
  // The bytes of the bases, one behind the other.
  Result<std::string> prefix_of(const std::vector<std::int64_t>& bases);

 private:
  struct Found {
    ChunkRow chunk;
    FrameBytes bytes;  // of its frame
  };
  Result<Found> find(std::int64_t chunk);

  Db& db_;
  std::mutex& mutex_;
  FrameCache& cache_;
  std::string packs_;
  Unwritten unwritten_;
};

}  // namespace holdfast::store
