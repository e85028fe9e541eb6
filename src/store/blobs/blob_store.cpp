// The story of the guard's bytes. In comes a file as it is now; out comes, at any later time, exactly that file again. It is cut
// into chunks by its content (cutter.h); chunks that are known are named and not kept again; new ones are packed into frames,
// beside what they resemble (frame_writer.h); a list of chunk numbers, the recipe, stands for the file (blob_rows.h).
//
// A commit has four steps in this order: the packs are written and synced, the copy of the catalogue is told what will change and
// synced, the catalogue commits, and only then what is useless is tidied up: loose pieces packed anew, old packs removed.
//
// What would go wrong otherwise: a catalogue that commits first would name bytes that a power cut takes away. In this order a
// crash leaves bytes that nobody names, and the next writer cuts them off. A lost catalogue must never be taken for an empty one,
// whose first writer would clean all packs away: so a mark says that something was kept, and nothing is written until it is made
// anew.

#include "store/blobs/blob_store.h"

#include "base/run/log.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

namespace holdfast::store {
namespace {

constexpr std::size_t kReadCache = 16 * 1024 * 1024;
constexpr std::size_t kWriteCache = 8 * 1024 * 1024;
constexpr std::chrono::milliseconds kLockPause{10};
constexpr std::string_view kRepair = "holdfast guard repair makes it anew; nothing is written or removed until then";

std::vector<session::KeptFile> kept_of(std::vector<VersionRow> rows) {
  std::vector<session::KeptFile> files;
  files.reserve(rows.size());
  for (VersionRow& row : rows) files.push_back(std::move(row.kept));
  return files;
}

}  // namespace

BlobStore::Writing::Writing(FileLock held, BlobStore& store, const std::vector<PackRow>& pack_rows, std::int64_t chunk,
                            std::int64_t frame, std::int64_t pack, bool all_whole)
    : lock(std::move(held)),
      next_chunk(chunk),
      cache(kWriteCache),
      packs(store.packs_folder_, pack_rows, pack),
      chunks(*store.writer_, store.write_db_mutex_, cache, store.packs_folder_,
             [this](std::int64_t id) { return frames.unwritten(id); }),
      frames(packs, chunks, frame, all_whole) {}

BlobStore::BlobStore(std::string folder, BlobOptions options)
    : folder_(std::move(folder)), packs_folder_(folder_ + "/packs"), options_(std::move(options)), cache_(kReadCache) {}

BlobStore::~BlobStore() {
  if (writing_) static_cast<void>(writer_->run("ROLLBACK"));
}

// Without its catalogue the packs are a heap of bytes, and a new one would let them be cleaned away: so a file beside it says
// that something was kept here.
Result<void> BlobStore::check_catalogue() const {
  struct stat status{};
  if (::stat(kept_mark().c_str(), &status) != 0) return {};
  if (::stat(catalogue_path().c_str(), &status) == 0 && status.st_size > 0) return {};
  return fail(ErrorKind::corrupt, fmt::format("{} is lost, but the packs it named are there", catalogue_path()),
              std::string(kRepair));
}

Result<void> BlobStore::mark_kept() const {
  struct stat status{};
  if (::stat(kept_mark().c_str(), &status) == 0) return {};
  const Fd mark(::open(kept_mark().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  if (!mark || ::fsync(mark.get()) != 0) return fail(system_error(kept_mark(), errno));
  return sync_folder(folder_);
}

Result<Db*> BlobStore::reader() {
  const std::string path = catalogue_path();
  struct stat status{};
  const bool there = ::stat(path.c_str(), &status) == 0;
  if (reader_ && there && status.st_ino == reader_inode_) return reader_.get();
  if (reader_) former_readers_.push_back(std::move(reader_));
  HF_CHECK(check_catalogue());
  if (!there) return nullptr;
  auto opened = open_blob_catalogue(path, Db::Mode::read_write, options_.sqlite_vfs);
  // Made a moment ago by somebody who has not come to fill it.
  if (!opened && opened.error().kind == ErrorKind::not_found) return nullptr;
  if (!opened && opened.error().kind == ErrorKind::corrupt) opened.error().hint = std::string(kRepair);
  if (!opened) return fail(std::move(opened).error());
  reader_ = *std::move(opened);
  reader_inode_ = status.st_ino;
  return reader_.get();
}

Result<FileLock> BlobStore::lock_for_writing() const {
  const auto deadline = std::chrono::steady_clock::now() + options_.patience;
  for (;;) {
    auto lock = FileLock::try_acquire(folder_ + "/writing.lock");
    if (lock || lock.error().kind != ErrorKind::conflict) return lock;
    if (std::chrono::steady_clock::now() >= deadline) {
      return fail(ErrorKind::conflict, fmt::format("{}: another process is writing to the guard", folder_), "try again later");
    }
    std::this_thread::sleep_for(kLockPause);
  }
}

Result<void> BlobStore::begin(bool all_whole) {
  if (writing_) return {};
  HF_CHECK(make_private_folder(packs_folder_));
  HF_TRY(FileLock lock, lock_for_writing());
  if (!writer_) {
    HF_CHECK(check_catalogue());
    HF_TRY(writer_, open_blob_catalogue(catalogue_path(), Db::Mode::create, options_.sqlite_vfs));
  }
  HF_CHECK(writer_->run("BEGIN IMMEDIATE"));
  const auto prepare = [&]() -> Result<void> {
    HF_TRY(const CopyPlace copy, copy_place(*writer_));
    std::unique_ptr<ChangeRecorder> changes;
    if (copy.number != 0) {
      HF_TRY(changes, ChangeRecorder::start(*writer_, {"numbers", "versions", "segments", "chunks", "frames", "packs"}));
    }
    HF_TRY(const std::vector<PackRow> packs, all_packs(*writer_));
    if (!cleaned_up_) {
      HF_CHECK(remove_unnamed_packs(packs_folder_, packs));
      remove_copies_but(packs_folder_, copy.number);
      cleaned_up_ = true;
    }
    HF_TRY(const std::int64_t chunk, next_number(*writer_, "chunk"));
    HF_TRY(const std::int64_t frame, next_number(*writer_, "frame"));
    HF_TRY(const std::int64_t pack, next_number(*writer_, "pack"));
    writing_ = std::make_unique<Writing>(std::move(lock), *this, packs, chunk, frame, pack, all_whole);
    writing_->copy = copy;
    writing_->changes = std::move(changes);
    return {};
  };
  auto prepared = prepare();
  if (!prepared) static_cast<void>(writer_->run("ROLLBACK"));
  return prepared;
}

std::unexpected<Error> BlobStore::give_up(Error error) {
  if (writer_->in_transaction()) static_cast<void>(writer_->run("ROLLBACK"));
  if (writing_ && writing_->has_changes && !lost_) lost_ = error;
  writing_.reset();
  return fail(std::move(error));
}

Result<void> BlobStore::finish() {
  Writing& writing = *writing_;
  const auto write = [&]() -> Result<void> {
    HF_CHECK(writing.frames.finish());
    HF_CHECK(writing.packs.sync());
    for (const FrameRow& frame : writing.frames.written()) HF_CHECK(insert_frame(*writer_, frame));
    for (const PackRow& pack : writing.packs.changed()) HF_CHECK(put_pack(*writer_, pack));
    HF_CHECK(mark_kept());
    HF_CHECK(set_next_number(*writer_, "chunk", writing.next_chunk));
    HF_CHECK(set_next_number(*writer_, "frame", writing.frames.next()));
    HF_CHECK(set_next_number(*writer_, "pack", writing.packs.next()));
    if (writing.changes) {
      HF_TRY(const std::string changes, writing.changes->changes());
      HF_TRY(const CopyPlace copy, append_changes(packs_folder_, writing.copy, changes));
      HF_CHECK(put_copy_place(*writer_, copy));
    }
    return writer_->run("COMMIT");
  };
  if (auto written = write(); !written) {
    writing.has_changes = false;  // the caller learns it from here
    return give_up(std::move(written).error());
  }
  packed_before_ += writing.packs.bytes();
  writing_.reset();
  return {};
}

Result<void> BlobStore::commit() {
  const std::lock_guard lock(write_mutex_);
  if (lost_) return fail(*std::exchange(lost_, std::nullopt));
  if (!writing_) return {};
  HF_CHECK(finish());
  // What was added is durable; that it has no second copy, or is not packed well, is no reason to say it is not.
  if (auto renewed = renew_copy(false); !renewed) {
    log(LogLevel::warn, "store", "the copy of the guard's catalogue: " + renewed.error().message);
  }
  HF_TRY(const std::vector<PackRow> packs, all_packs(*writer_));
  std::set<std::int64_t> loose;
  std::uint64_t bytes = 0;
  for (const PackRow& pack : packs) {
    if (!pack.loose) continue;
    loose.insert(pack.id);
    bytes += pack.size;
  }
  if (bytes < options_.loose_bytes) return {};
  if (auto repacked = repack(loose, false); !repacked) {
    log(LogLevel::warn, "store", "packing loose pieces of the guard anew: " + repacked.error().message);
  }
  return {};
}

Result<void> BlobStore::renew_copy(bool always) {
  HF_TRY(const CopyPlace before, copy_place(*writer_));
  if (!always && !is_copy_outgrown(packs_folder_, before)) return {};
  HF_TRY(const FileLock held, lock_for_writing());
  HF_TRY(const CopyPlace now, copy_place(*writer_));
  if (!always && !is_copy_outgrown(packs_folder_, now)) return {};  // another process was faster
  const CopyPlace next{std::max(now.number, newest_copy(packs_folder_)) + 1, 0};
  HF_CHECK(make_copy(*writer_, packs_folder_, next.number));
  HF_CHECK(writer_->write([&] { return put_copy_place(*writer_, next); }));
  remove_copies_but(packs_folder_, next.number);
  return {};
}

Result<std::vector<session::KeptFile>> BlobStore::files(std::string_view key_prefix) {
  const std::lock_guard lock(read_mutex_);
  HF_TRY(Db* const db, reader());
  if (db == nullptr) return std::vector<session::KeptFile>();
  HF_TRY(std::vector<VersionRow> rows, newest_versions(*db, key_prefix));
  return kept_of(std::move(rows));
}

Result<std::vector<session::KeptFile>> BlobStore::versions(std::string_view key) {
  const std::lock_guard lock(read_mutex_);
  HF_TRY(Db* const db, reader());
  if (db == nullptr) return std::vector<session::KeptFile>();
  HF_TRY(std::vector<VersionRow> rows, versions_of(*db, key));
  return kept_of(std::move(rows));
}

Result<std::optional<session::KeptFile>> BlobStore::file(std::string_view key) {
  const std::lock_guard lock(read_mutex_);
  HF_TRY(Db* const db, reader());
  if (db == nullptr) return std::nullopt;
  HF_TRY(auto row, newest_version(*db, key));
  if (!row) return std::nullopt;
  return std::move(row->kept);
}

Result<void> BlobStore::forget(std::span<const std::string> keys) {
  const std::lock_guard lock(write_mutex_);
  if (writing_) return fail(ErrorKind::conflict, "commit what was added before forgetting something");
  HF_CHECK(begin());
  const auto drop = [&]() -> Result<void> {
    for (const std::string& key : keys) {
      HF_TRY(const auto versions, versions_of(*writer_, key));
      for (const VersionRow& version : versions) HF_CHECK(drop_version(*writer_, version.id));
    }
    return {};
  };
  if (auto dropped = drop(); !dropped) return give_up(std::move(dropped).error());
  return finish();
}

void LiveChunks::add(std::int64_t chunk) {
  if (chunk < 0) return;
  const auto at = static_cast<std::size_t>(chunk);
  if (at >= is_live.size()) is_live.resize(std::max(at + 1, 2 * is_live.size()));
  if (is_live[at]) return;
  is_live[at] = true;
  in_order.push_back(chunk);
}

Result<LiveChunks> live_chunks(Db& db) {
  LiveChunks live;
  HF_CHECK(each_segment(db, [&](std::int64_t, std::uint64_t, Result<Recipe> recipe) -> Result<void> {
    // What a damaged list names is not known; packing anew would lose it for good.
    if (!recipe) return fail(std::move(recipe).error());
    for (const RecipePart& part : *recipe) live.add(part.chunk);
    return {};
  }));
  return live;
}

Result<session::Blobs::State> BlobStore::state() {
  const std::lock_guard lock(read_mutex_);
  HF_TRY(Db* const db, reader());
  State state;
  if (db == nullptr) return state;
  const auto count = [&](const char* sql) -> Result<std::uint64_t> {
    HF_TRY(const auto number, db->number(sql));
    return static_cast<std::uint64_t>(number.value_or(0));
  };
  HF_TRY(state.files, count("SELECT count(DISTINCT key) FROM versions"));
  HF_TRY(state.versions, count("SELECT count(*) FROM versions"));
  HF_TRY(state.bytes, count("SELECT sum(size) FROM versions"));
  HF_TRY(state.chunks, count("SELECT count(*) FROM chunks"));
  HF_TRY(state.stored_bytes, count("SELECT sum(size) FROM packs"));
  HF_TRY(const LiveChunks live, live_chunks(*db));
  std::unordered_map<std::int64_t, std::uint64_t> live_bytes;
  HF_CHECK(db->each("SELECT id, frame, size FROM chunks", {}, [&](const Columns& row) {
    if (live.has(row.integer(0))) live_bytes[row.integer(1)] += static_cast<std::uint64_t>(row.integer(2));
    return true;
  }));
  HF_TRY(const std::vector<FrameRow> frames, all_frames(*db));
  std::uint64_t used = 0;
  for (const FrameRow& frame : frames) {
    if (frame.raw_size > 0) used += frame.size * live_bytes[frame.id] / frame.raw_size;
  }
  state.garbage_bytes = state.stored_bytes - std::min(used, state.stored_bytes);
  state.stored_bytes += copied_bytes(packs_folder_);
  for (const char* name : {"/catalogue.db", "/catalogue.db-wal"}) {
    std::error_code ignored;
    const auto size = std::filesystem::file_size(folder_ + name, ignored);
    if (!ignored) state.stored_bytes += size;
  }
  return state;
}

Result<std::unique_ptr<session::Blobs>> open_blobs(const std::string& folder, const BlobOptions& options) {
  return std::make_unique<BlobStore>(folder, options);
}

}  // namespace holdfast::store
