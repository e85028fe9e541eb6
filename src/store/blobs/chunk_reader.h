#pragma once

// Chunks out of their packs, by their number, compared with their hash.
//
// Made over the connection of whoever reads; that one says how it is shared (`mutex`). Any thread.

#include "store/blobs/blob_rows.h"

#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace holdfast::store {

using FrameBytes = std::shared_ptr<const std::string>;

// Unpacked frames that were used lately: who reads a file from front to end needs each frame for some sixteen chunks. Any thread.
class FrameCache {
 public:
  explicit FrameCache(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  FrameBytes find(std::int64_t frame);  // nullptr: not here
  void put(std::int64_t frame, FrameBytes bytes);
  void clear();

 private:
  struct Kept {
    std::int64_t frame;
    FrameBytes bytes;
  };
  std::size_t max_bytes_;
  std::size_t bytes_ = 0;
  std::mutex mutex_;
  std::list<Kept> kept_;  // the latest used first
  std::unordered_map<std::int64_t, std::list<Kept>::iterator> by_frame_;
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
