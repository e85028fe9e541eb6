#include "store/blobs/blob_store.h"

#include <sys/stat.h>
#include <unistd.h>

#include <unordered_map>
#include <unordered_set>

namespace holdfast::store {

Result<void> BlobStore::repack(const std::set<std::int64_t>& packs, bool strict) {
  HF_CHECK(begin(true));
  if (auto done = repack_now(packs, strict); !done) {
    writing_->has_changes = false;
    return give_up(std::move(done).error());
  }
  HF_CHECK(finish());
  // Readers that still look for them there look again.
  for (const std::int64_t pack : packs) static_cast<void>(::unlink(pack_path(packs_folder_, pack).c_str()));
  return {};
}

Result<void> BlobStore::repack_now(const std::set<std::int64_t>& packs, bool strict) {
  Db& db = *writer_;
  for (const std::int64_t pack : packs) writing_->packs.leave(pack);
  HF_TRY(LiveChunks live, live_chunks(db));
  HF_TRY(const std::vector<FrameRow> frames, all_frames(db));
  if (!strict) {
    // What frames that stay are packed against.
    for (const FrameRow& frame : frames) {
      if (packs.contains(frame.pack)) continue;
      for (const std::int64_t base : frame.bases) live.add(base);
    }
  }

  struct Moved {
    ChunkRow row;
    bool plain = true;
  };
  std::unordered_map<std::int64_t, Moved> moved;
  std::vector<std::int64_t> dead;
  for (const FrameRow& frame : frames) {
    if (!packs.contains(frame.pack)) continue;
    HF_TRY(const std::vector<ChunkRow> chunks, chunks_of_frame(db, frame.id));
    for (const ChunkRow& chunk : chunks) {
      if (live.has(chunk.id)) {
        moved.emplace(chunk.id, Moved{chunk, frame.bases.empty()});
      } else {
        dead.push_back(chunk.id);
      }
    }
  }
  // In the order of the files: what is read together lies together, and compresses better.
  for (const std::int64_t id : live.in_order) {
    const auto found = moved.find(id);
    if (found == moved.end()) continue;
    Moved& chunk = found->second;
    HF_TRY(const std::string bytes, writing_->chunks.read(id));
    std::optional<std::int64_t> base;
    // A plain one stays plain: others may be packed against it.
    if (!chunk.plain && bytes.size() >= kMinSketched) {
      const Sketch sketch = sketch_of(bytes);
      HF_TRY(base, resembling_chunk(db, sketch));
      if (base && !live.has(*base)) base.reset();
      if (!base) HF_CHECK(insert_sketch(db, sketch, id));
    }
    HF_TRY(const FrameWriter::Place place, writing_->frames.place(bytes, base));
    // Where it lay stays written down until all are packed, and so do dead ones: others may have to be read against them.
    chunk.row.frame = place.frame;
    chunk.row.start = place.start;
  }
  HF_CHECK(writing_->frames.finish());
  for (const std::int64_t id : dead) HF_CHECK(db.run("DELETE FROM chunks WHERE id = ?", id));
  for (const auto& [id, chunk] : moved) HF_CHECK(place_chunk(db, chunk.row));
  for (const FrameRow& frame : frames) {
    if (packs.contains(frame.pack)) HF_CHECK(db.run("DELETE FROM frames WHERE id = ?", frame.id));
  }
  for (const std::int64_t pack : packs) HF_CHECK(db.run("DELETE FROM packs WHERE id = ?", pack));
  if (strict) HF_CHECK(db.run("DELETE FROM sketches WHERE chunk NOT IN (SELECT id FROM chunks)"));
  return {};
}

Result<void> BlobStore::scrub() {
  const std::lock_guard lock(write_mutex_);
  if (writing_) return fail(ErrorKind::conflict, "commit what was added before scrubbing");
  HF_CHECK(begin(true));
  std::set<std::int64_t> victims;
  const auto choose = [&]() -> Result<void> {
    HF_TRY(const LiveChunks live, live_chunks(*writer_));
    HF_TRY(const std::vector<FrameRow> frames, all_frames(*writer_));
    for (const FrameRow& frame : frames) {
      HF_TRY(const std::vector<ChunkRow> chunks, chunks_of_frame(*writer_, frame.id));
      std::uint64_t used = 0;
      for (const ChunkRow& chunk : chunks) used += live.has(chunk.id) ? chunk.size : 0;
      bool clean = used == frame.raw_size;
      for (const std::int64_t base : frame.bases) clean = clean && live.has(base);
      if (!clean) victims.insert(frame.pack);
    }
    return {};
  };
  if (auto chosen = choose(); !chosen) return give_up(std::move(chosen).error());
  HF_CHECK(repack(victims, true));
  cache_.clear();
  // Names and lists of chunks, too, also in the copy.
  HF_CHECK(renew_copy(true));
  HF_TRY(const FileLock held, lock_for_writing());
  HF_CHECK(writer_->script("VACUUM"));
  HF_TRY(const auto busy, writer_->number("PRAGMA wal_checkpoint(TRUNCATE)"));
  if (busy.value_or(0) != 0) {
    return fail(ErrorKind::unavailable, "somebody still reads what was forgotten", "run it again later");
  }
  return {};
}

}  // namespace holdfast::store
