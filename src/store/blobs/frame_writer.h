#pragma once

// Gathers chunks into frames, compresses them beside the caller, and appends them to the packs.
//
// A frame is one piece of zstd: large enough to compress well, small enough to be unpacked for one chunk. A chunk that resembles
// one kept before goes into a frame that is packed against those it resembles (its bases); bases themselves lie in plain frames,
// so one step leads to the bytes. One thread; the compressing threads are its own.

#include "store/blobs/pack_files.h"

#include <condition_variable>
#include <deque>
#include <thread>

namespace holdfast {
class ZstdPacker;
}

namespace holdfast::store {

// docs/benchmarks.md has what other sizes and levels gave.
inline constexpr std::size_t kFrameBytes = 256 * 1024;
inline constexpr int kFrameLevel = 3;
// What a commit leaves over below this is loose, and packed anew later.
inline constexpr std::size_t kWholeFrame = 128 * 1024;

class FrameWriter {
 public:
  // `packs` and `bases` live longer. `next` is the first number of a frame that is free. all_whole: nothing is loose.
  FrameWriter(PackWriter& packs, ChunkReader& bases, std::int64_t next, bool all_whole = false);
  ~FrameWriter();  // joins; what is not finished is lost
  FrameWriter(const FrameWriter&) = delete;
  FrameWriter& operator=(const FrameWriter&) = delete;

  struct Place {
    std::int64_t frame = 0;
    std::uint32_t start = 0;
  };
  // `bytes` is copied. `base`: a chunk in a plain frame.
  Result<Place> place(std::string_view bytes, std::optional<std::int64_t> base);
  // All frames are in the packs (not synced).
  Result<void> finish();

  // Of a frame that is not in the catalogue yet; nullptr: it is not one of these.
  Result<FrameBytes> unwritten(std::int64_t frame);

  const std::vector<FrameRow>& written() const { return written_; }  // after finish()
  std::int64_t next() const { return next_; }

 private:
  struct Open {
    std::int64_t frame = 0;
    std::string raw;
    std::vector<std::int64_t> bases;
    std::size_t base_bytes = 0;
  };
  struct Job {
    std::int64_t frame = 0;
    FrameBytes raw;
    std::vector<std::int64_t> bases;
    std::string prefix;
    bool loose = false;
  };
  Result<void> flush(Open& open);
  Result<void> pack(ZstdPacker& packer, const Job& job);
  void work();
  Result<void> trouble();

  PackWriter& packs_;
  ChunkReader& bases_;
  std::int64_t next_;
  bool all_whole_;
  Open plain_, alike_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> waiting_;
  std::size_t working_ = 0;
  bool closing_ = false;
  std::optional<Error> error_;
  std::unordered_map<std::int64_t, FrameBytes> in_work_;
  std::unordered_map<std::int64_t, std::size_t> row_of_;  // place in written_
  std::vector<FrameRow> written_;
  std::vector<std::jthread> threads_;  // last: joined before what they use goes
};

}  // namespace holdfast::store
