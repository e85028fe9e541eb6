#pragma once

// Chunks out of their packs, by their number, compared with their hash.
//
// Made over the connection of whoever reads; that one says how it is shared (`mutex`). Any thread.

#include "base/run/recent.h"
#include "store/blobs/blob_rows.h"

#include <memory>
#include <mutex>

namespace holdfast::store {

using FrameBytes = std::shared_ptr<const std::string>;

// Unpacked frames that were used lately: who reads a file from front to end needs each frame for some sixteen chunks. Any thread.
struct FrameCache : Recent<std::int64_t, FrameBytes> {
  explicit FrameCache(std::size_t max_bytes) : Recent(max_bytes, [](const FrameBytes& bytes) { return bytes->size(); }) {}
};

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
