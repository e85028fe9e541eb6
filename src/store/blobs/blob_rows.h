#pragma once

// The catalogue of the guard: which files, which chunks, where they are packed (docs/formats/guard.md). One SQLite file.
//
// A chunk is a piece of content and has its number for good; where it lies may change (compaction). Frames are what is compressed
// together; numbers of frames and packs are never given twice, so a cache by number is never wrong.

#include "base/crypto/hash.h"
#include "session/blobs.h"
#include "store/blobs/cutter.h"
#include "store/sqlite/db.h"

namespace holdfast::store {

// A file as a list of chunks, written down in segments: appending to a file rewrites its last segment, whatever its length.
struct RecipePart {
  std::int64_t chunk = 0;
  std::uint32_t size = 0;
  bool operator==(const RecipePart&) const = default;
};
using Recipe = std::vector<RecipePart>;

inline constexpr std::size_t kSegmentParts = 256;  // some 4 MiB of a file, some 900 bytes of the catalogue

std::string encode_recipe(const Recipe& recipe);       // ends with a checksum
Result<Recipe> decode_recipe(std::string_view bytes);  // corrupt
std::string encode_ids(const std::vector<std::int64_t>& ids);
Result<std::vector<std::int64_t>> decode_ids(std::string_view bytes);

struct ChunkRow {
  std::int64_t id = 0;
  Digest hash{};
  std::int64_t frame = 0;  // 0: damaged, waiting to be taken again
  std::uint32_t start = 0, size = 0;
};

struct FrameRow {
  std::int64_t id = 0, pack = 0;
  std::uint64_t start = 0;
  std::uint32_t size = 0, raw_size = 0;
  std::vector<std::int64_t> bases;  // chunks it is packed against, in their order
};

struct PackRow {
  std::int64_t id = 0;
  std::uint64_t size = 0;
  bool loose = false;
};

struct VersionRow {
  std::int64_t id = 0;
  session::KeptFile kept;
  std::string hash_state;  // ResumableSha256; empty: read the whole file again
};

// Opens and, with Mode::create, makes it. Errors: corrupt (of another program, of a later version), those of SQLite.
Result<std::unique_ptr<Db>> open_blob_catalogue(const std::string& path, Db::Mode mode, const std::string& vfs);

// Numbers that are never given twice: "chunk", "frame", "pack".
Result<std::int64_t> next_number(Db& db, std::string_view what);
Result<void> set_next_number(Db& db, std::string_view what, std::int64_t next);

Result<std::optional<ChunkRow>> chunk_row(Db& db, std::int64_t id);
Result<std::optional<ChunkRow>> chunk_with_hash(Db& db, const Digest& hash);
Result<std::vector<ChunkRow>> chunks_of_frame(Db& db, std::int64_t frame);
Result<void> insert_chunk(Db& db, const ChunkRow& row);
Result<void> place_chunk(Db& db, const ChunkRow& row);  // frame and start
// For a chunk in a plain frame: others may be packed against it from now on.
Result<void> insert_sketch(Db& db, const Sketch& sketch, std::int64_t chunk);
// The one of those that it resembles most.
Result<std::optional<std::int64_t>> resembling_chunk(Db& db, const Sketch& sketch);

Result<std::optional<FrameRow>> frame_row(Db& db, std::int64_t id);
Result<std::vector<FrameRow>> all_frames(Db& db);  // as they lie in the packs
Result<void> insert_frame(Db& db, const FrameRow& row);

Result<std::vector<PackRow>> all_packs(Db& db);
Result<void> put_pack(Db& db, const PackRow& row);

Result<std::vector<VersionRow>> newest_versions(Db& db, std::string_view key_prefix);
Result<std::vector<VersionRow>> versions_of(Db& db, std::string_view key);  // newest first
Result<std::optional<VersionRow>> newest_version(Db& db, std::string_view key);
Result<std::optional<VersionRow>> find_version(Db& db, std::string_view key, std::int64_t version);
// Inserts with id 0 (and sets it), else replaces.
Result<void> put_version(Db& db, VersionRow& row);
Result<void> drop_version(Db& db, std::int64_t id);  // and its segments

struct RecipeSegment {
  std::uint64_t start = 0;
  Recipe recipe;
};
// The segment that holds this offset; the last one when the offset is the end or beyond. nullopt: an empty file.
Result<std::optional<RecipeSegment>> segment_at(Db& db, std::int64_t version, std::uint64_t offset);
Result<void> put_segment(Db& db, std::int64_t version, std::uint64_t start, std::string_view encoded);
// All segments of all versions, by version and place; damaged ones as an error in their stead.
Result<void> each_segment(Db& db,
                          const std::function<Result<void>(std::int64_t version, std::uint64_t start, Result<Recipe>)>& take);

}  // namespace holdfast::store
