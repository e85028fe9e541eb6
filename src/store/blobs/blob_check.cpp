#include "store/blobs/blob_store.h"

#include <fmt/format.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <map>
#include <unordered_map>

namespace holdfast::store {

struct BlobStore::Damage {
  std::unordered_map<std::int64_t, std::string> chunks;  // and why
  std::set<std::int64_t> versions;                       // of which something is lost
  bool copy = false;                                     // that of the catalogue
};

namespace {

struct Suffering {
  std::uint64_t bytes = 0, first = 0;
  std::string why;
};

Result<void> check_pages(Db& db, session::Blobs::Check& check) {
  return db.each("PRAGMA quick_check(10)", {}, [&](const Columns& row) {
    if (row.text(0) != "ok") check.problems.push_back({"", fmt::format("catalogue: {}", row.text(0))});
    return true;
  });
}

}  // namespace

Result<BlobStore::Damage> BlobStore::look_for_damage(Db& db, std::mutex& db_mutex, Check& check,
                                                     const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  Damage damage;
  std::vector<FrameRow> frames;
  {
    const std::lock_guard lock(db_mutex);
    HF_CHECK(check_pages(db, check));
    HF_TRY(const CopyPlace copy, copy_place(db));
    if (const auto checked = check_copy(packs_folder_, copy, options_.sqlite_vfs); !checked) {
      check.problems.push_back({"", "the copy of the catalogue: " + checked.error().message});
      damage.copy = true;
    }
    HF_TRY(frames, all_frames(db));
  }
  std::uint64_t total = 0, done = 0;
  for (const FrameRow& frame : frames) total += frame.size;
  FrameCache cache(kFrameBytes * 32);  // not that of the readers: everything passes through
  ChunkReader reader(db, db_mutex, cache, packs_folder_);
  for (const FrameRow& frame : frames) {
    std::vector<ChunkRow> chunks;
    {
      const std::lock_guard lock(db_mutex);
      HF_TRY(const auto still, frame_row(db, frame.id));
      if (!still) continue;  // packed anew meanwhile
      HF_TRY(chunks, chunks_of_frame(db, frame.id));
    }
    const auto bytes = reader.unpack(frame);
    for (const ChunkRow& chunk : chunks) {
      ++check.chunks;
      check.bytes += chunk.size;
      if (!bytes) {
        damage.chunks[chunk.id] = bytes.error().message;
      } else if (std::uint64_t{chunk.start} + chunk.size > (*bytes)->size() ||
                 sha256(std::string_view(**bytes).substr(chunk.start, chunk.size)) != chunk.hash) {
        damage.chunks[chunk.id] = fmt::format("chunk {} in frame {} is damaged: its hash differs", chunk.id, frame.id);
      }
    }
    done += frame.size;
    if (progress) progress(done, total);
  }

  const std::lock_guard lock(db_mutex);
  std::unordered_map<std::int64_t, std::uint32_t> known;  // sizes
  HF_CHECK(db.each("SELECT id, size, frame FROM chunks", {}, [&](const Columns& row) {
    known[row.integer(0)] = static_cast<std::uint32_t>(row.integer(1));
    if (row.integer(2) == 0) damage.chunks.try_emplace(row.integer(0), "damaged before, and set aside");
    return true;
  }));
  std::map<std::int64_t, Suffering> suffering;
  std::unordered_map<std::int64_t, std::uint64_t> reached;
  std::set<std::int64_t> blamed;
  const auto suffers = [&](std::int64_t version, std::uint64_t start, std::uint64_t size, const std::string& why) {
    const auto [place, first] = suffering.try_emplace(version, Suffering{0, start, why});
    place->second.bytes += size;
  };
  HF_CHECK(each_segment(db, [&](std::int64_t version, std::uint64_t start, Result<Recipe> recipe) -> Result<void> {
    if (start != reached[version]) suffers(version, reached[version], start - reached[version], "its list of chunks has a gap");
    if (!recipe) {
      suffers(version, start, 0, recipe.error().message);
      return {};
    }
    for (const RecipePart& part : *recipe) {
      const auto row = known.find(part.chunk);
      if (row == known.end() || row->second != part.size) {
        suffers(version, start, part.size, fmt::format("chunk {} is not in the catalogue as it was", part.chunk));
      } else if (const auto bad = damage.chunks.find(part.chunk); bad != damage.chunks.end()) {
        suffers(version, start, part.size, bad->second);
        blamed.insert(part.chunk);
      }
      start += part.size;
    }
    reached[version] = start;
    return {};
  }));
  HF_CHECK(db.each("SELECT id, key, version, size FROM versions ORDER BY key, version", {}, [&](const Columns& row) {
    const std::int64_t id = row.integer(0);
    const auto size = static_cast<std::uint64_t>(row.integer(3));
    if (reached[id] != size) suffers(id, reached[id], 0, fmt::format("{} of {} bytes are listed", reached[id], size));
    const auto found = suffering.find(id);
    if (found == suffering.end()) return true;
    damage.versions.insert(id);
    check.problems.push_back(
        {std::string(row.text(1)), fmt::format("version {}: {} of {} bytes cannot be read, from byte {} on: {}", row.integer(2),
                                               found->second.bytes, size, found->second.first, found->second.why)});
    return true;
  }));
  std::size_t of_nobody = 0;
  for (const auto& [chunk, why] : damage.chunks) of_nobody += blamed.contains(chunk) ? 0 : 1;
  if (of_nobody > 0) check.problems.push_back({"", fmt::format("{} damaged chunks that no file uses", of_nobody)});
  return damage;
}

Result<session::Blobs::Check> BlobStore::verify(const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  Check check;
  Db* db = nullptr;
  {
    const std::lock_guard lock(read_mutex_);
    HF_TRY(db, reader());
  }
  if (db != nullptr) HF_CHECK(look_for_damage(*db, read_mutex_, check, progress));
  return check;
}

std::optional<Error> BlobStore::trouble_with_catalogue() {
  const auto look = [&]() -> Result<void> {
    const std::lock_guard lock(read_mutex_);
    HF_TRY(Db* const db, reader());
    if (db == nullptr) return {};
    Check pages;
    HF_CHECK(check_pages(*db, pages));
    if (!pages.problems.empty()) return fail(ErrorKind::corrupt, pages.problems.front().what);
    return {};
  };
  auto looked = look();
  if (looked || looked.error().kind != ErrorKind::corrupt) return std::nullopt;
  return std::move(looked).error();
}

// The old one is set aside with its log, never removed: it may hold what the copy lacks.
Result<void> BlobStore::make_catalogue_anew(const Error& why, Check& check) {
  HF_TRY(const FileLock held, lock_for_writing());
  const std::lock_guard lock(read_mutex_);
  if (reader_) former_readers_.push_back(std::move(reader_));
  writer_.reset();
  const std::string path = catalogue_path(), made = path + ".made";
  HF_CHECK(rebuild_catalogue(packs_folder_, made, options_.sqlite_vfs));
  const Millis now = options_.clock ? options_.clock->now() : SystemClock().now();
  const std::string aside = fmt::format("{}.damaged-{}", path, now);
  const bool lost = ::access(path.c_str(), F_OK) != 0;
  for (const char* ending : {"-wal", "-shm", ""}) {
    if (::rename((path + ending).c_str(), (aside + ending).c_str()) != 0 && errno != ENOENT)
      return fail(system_error("setting " + path + " aside", errno));
  }
  if (::rename(made.c_str(), path.c_str()) != 0) return fail(system_error("naming " + path, errno));
  HF_CHECK(sync_folder(folder_));
  HF_TRY(writer_, open_blob_catalogue(path, Db::Mode::read_write, options_.sqlite_vfs));
  HF_TRY(const std::vector<PackRow> packs, all_packs(*writer_));
  HF_CHECK(set_unnamed_packs_aside(packs_folder_, packs));
  check.problems.push_back(
      {"", fmt::format("the catalogue was made anew from its copy{}: {}", lost ? "" : ", the old one is " + aside, why.message)});
  return {};
}

Result<session::Blobs::Check> BlobStore::repair(const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  const std::lock_guard lock(write_mutex_);
  if (writing_) return fail(ErrorKind::conflict, "commit what was added before repairing");
  Check check;
  if (const auto trouble = trouble_with_catalogue()) HF_CHECK(make_catalogue_anew(*trouble, check));
  {
    const std::lock_guard read_lock(read_mutex_);
    HF_TRY(const Db* const db, reader());
    if (db == nullptr) return check;
  }
  HF_CHECK(begin());
  bool copy_is_damaged = false;
  const auto set_aside = [&]() -> Result<void> {
    HF_TRY(const Damage damage, look_for_damage(*writer_, write_db_mutex_, check, progress));
    copy_is_damaged = damage.copy;
    for (const auto& [chunk, why] : damage.chunks) {
      HF_CHECK(writer_->run("UPDATE chunks SET frame = 0 WHERE id = ?", chunk));
    }
    // Without these two the next add() reads the original from its beginning.
    for (const std::int64_t version : damage.versions) {
      HF_CHECK(writer_->run("UPDATE versions SET incarnation = '', hash_state = x'' WHERE id = ?", version));
    }
    return {};
  };
  if (auto done = set_aside(); !done) return give_up(std::move(done).error());
  HF_CHECK(finish());
  HF_CHECK(renew_copy(copy_is_damaged));
  cache_.clear();
  return check;
}

}  // namespace holdfast::store
