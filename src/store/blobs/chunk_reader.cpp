#include "store/blobs/chunk_reader.h"

#include "base/files/zstd_block.h"
#include "store/blobs/pack_files.h"

#include <fmt/format.h>

namespace holdfast::store {
namespace {

// Another process may pack a frame anew between looking it up and opening its pack; then it lies elsewhere. More than a few times
// in a row that does not happen.
constexpr int kLookups = 4;

}  // namespace

Result<FrameBytes> ChunkReader::unpack(const FrameRow& frame) {
  if (auto cached = cache_.find(frame.id)) return *std::move(cached);
  HF_TRY(const std::string packed, read_frame(packs_, frame));
  std::string prefix;
  if (!frame.bases.empty()) {
    HF_TRY(prefix, prefix_of(frame.bases));
  }
  auto raw = zstd_unpack(packed, frame.raw_size, prefix);
  if (!raw) return fail(std::move(raw).error().within(fmt::format("{} at byte {}", pack_path(packs_, frame.pack), frame.start)));
  auto bytes = std::make_shared<const std::string>(*std::move(raw));
  cache_.put(frame.id, bytes);
  return bytes;
}

Result<std::string> ChunkReader::prefix_of(const std::vector<std::int64_t>& bases) {
  std::string prefix;
  for (const std::int64_t base : bases) {
    HF_TRY(const std::string bytes, read(base));
    prefix += bytes;
  }
  return prefix;
}

Result<ChunkReader::Found> ChunkReader::find(std::int64_t id) {
  for (int lookup = 1;; ++lookup) {
    std::optional<ChunkRow> chunk;
    std::optional<FrameRow> frame;
    {
      const std::lock_guard lock(mutex_);
      HF_TRY(chunk, chunk_row(db_, id));
      if (!chunk) return fail(ErrorKind::corrupt, fmt::format("chunk {} is not in the catalogue", id));
      if (chunk->frame == 0) return fail(ErrorKind::corrupt, fmt::format("chunk {} is damaged and was set aside", id));
    }
    if (unwritten_) {
      HF_TRY(FrameBytes bytes, unwritten_(chunk->frame));
      if (bytes) return Found{*chunk, std::move(bytes)};
    }
    {
      const std::lock_guard lock(mutex_);
      HF_TRY(frame, frame_row(db_, chunk->frame));
    }
    if (frame) {
      auto bytes = unpack(*frame);
      if (bytes) return Found{*chunk, *std::move(bytes)};
      if (bytes.error().kind != ErrorKind::not_found) return fail(std::move(bytes).error());
      if (lookup == kLookups) return fail(ErrorKind::corrupt, bytes.error().message);
    } else if (lookup == kLookups) {
      return fail(ErrorKind::corrupt, fmt::format("frame {} of chunk {} is not in the catalogue", chunk->frame, id));
    }
  }
}

Result<std::string> ChunkReader::read(std::int64_t id) {
  HF_TRY(const Found found, find(id));
  const ChunkRow& chunk = found.chunk;
  if (std::uint64_t{chunk.start} + chunk.size > found.bytes->size()) {
    return fail(ErrorKind::corrupt, fmt::format("chunk {} is longer than its frame {}", id, chunk.frame));
  }
  std::string bytes = found.bytes->substr(chunk.start, chunk.size);
  if (sha256(bytes) != chunk.hash) {
    return fail(ErrorKind::corrupt, fmt::format("chunk {} in frame {} is damaged: its hash differs", id, chunk.frame));
  }
  return bytes;
}

}  // namespace holdfast::store
