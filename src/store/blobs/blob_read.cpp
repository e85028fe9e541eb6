// Kept files being read.

#include "store/blobs/blob_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace holdfast::store {
namespace {

// One behind the other are one.
void add_gap(std::vector<session::Blobs::Gap>& lost, std::uint64_t begin, std::uint64_t end, std::string why) {
  if (!lost.empty() && lost.back().end == begin) {
    lost.back().end = end;
  } else if (lost.empty() || lost.back().end < end) {
    lost.push_back({begin, end, std::move(why)});
  }
}

}  // namespace

Result<std::size_t> BlobStore::read(const session::KeptFile& file, std::uint64_t offset, std::span<char> to) {
  return read_parts(file, offset, to, nullptr);
}

Result<std::size_t> BlobStore::read_what_is_left(const session::KeptFile& file, std::uint64_t offset, std::span<char> to,
                                                 std::vector<Gap>& lost) {
  return read_parts(file, offset, to, &lost);
}

Result<std::size_t> BlobStore::read_parts(const session::KeptFile& file, std::uint64_t offset, std::span<char> to,
                                          std::vector<Gap>* lost) {
  Db* db = nullptr;
  std::optional<VersionRow> version;
  {
    const std::lock_guard lock(read_mutex_);
    HF_TRY(db, reader());
    if (db != nullptr) {
      HF_TRY(version, find_version(*db, file.key, file.version));
    }
  }
  if (!version) return fail(ErrorKind::not_found, fmt::format("{}: version {} is not kept", file.key, file.version));
  ChunkReader chunks(*db, read_mutex_, cache_, packs_folder_);
  // Not beyond what the caller knows of: the file may have grown since.
  const std::uint64_t size = std::min(file.size, version->kept.size);
  std::size_t done = 0;
  while (done < to.size() && offset < size) {
    std::optional<RecipeSegment> segment;
    {
      const std::lock_guard lock(read_mutex_);
      HF_TRY(segment, segment_at(*db, version->id, offset));
    }
    if (!segment) return fail(ErrorKind::corrupt, fmt::format("{}: its list of chunks is lost", file.key));
    std::uint64_t start = segment->start;
    const std::uint64_t before = offset;
    for (const RecipePart& part : segment->recipe) {
      const std::uint64_t end = start + part.size;
      if (offset >= start && offset < end && done < to.size() && offset < size) {
        auto bytes = chunks.read(part.chunk);
        if (!bytes && lost && bytes.error().kind == ErrorKind::corrupt) {
          add_gap(*lost, start, end, bytes.error().message);
          bytes = std::string(part.size, '\0');
        }
        if (!bytes) return fail(std::move(bytes).error().within(fmt::format("{}, bytes {} to {}", file.key, start, end)));
        const std::size_t skipped = static_cast<std::size_t>(offset - start);
        const std::size_t count = std::min({bytes->size() - skipped, to.size() - done, static_cast<std::size_t>(size - offset)});
        std::memcpy(to.data() + done, bytes->data() + skipped, count);
        done += count;
        offset += count;
      }
      start = end;
    }
    if (offset == before)
      return fail(ErrorKind::corrupt, fmt::format("{}: its list of chunks has a gap at {}", file.key, offset));
  }
  return done;
}

Result<std::vector<session::Blobs::Gap>> BlobStore::gaps(const session::KeptFile& file) {
  const std::lock_guard lock(read_mutex_);
  std::vector<Gap> lost;
  HF_TRY(Db* const db, reader());
  if (db == nullptr) return lost;
  HF_TRY(const auto any, db->number("SELECT 1 FROM chunks WHERE frame = 0 LIMIT 1"));
  if (!any) return lost;
  HF_TRY(const auto version, find_version(*db, file.key, file.version));
  if (!version) return lost;
  for (std::uint64_t at = 0; at < version->kept.size;) {
    HF_TRY(const auto segment, segment_at(*db, version->id, at));
    if (!segment) break;
    std::uint64_t start = segment->start;
    for (const RecipePart& part : segment->recipe) {
      HF_TRY(const auto chunk, chunk_row(*db, part.chunk));
      if (!chunk || chunk->frame == 0) add_gap(lost, start, start + part.size, "damaged, and set aside");
      start += part.size;
    }
    if (start <= at) break;
    at = start;
  }
  return lost;
}

Result<std::int64_t> BlobStore::generation() {
  const std::lock_guard lock(read_mutex_);
  HF_TRY(Db* const db, reader());
  if (db == nullptr) return 0;
  HF_TRY(const auto number, db->number("PRAGMA data_version"));
  // A catalogue that was made anew counts from the beginning.
  return number.value_or(0) + static_cast<std::int64_t>(reader_inode_ << 32);
}

}  // namespace holdfast::store
