#pragma once

// The guard's bytes in files: packs, and a catalogue that names what is in them.
//
// A change is a transaction of the catalogue. Chunks go to the packs while it is open; commit() syncs the packs, then commits the
// catalogue, so what the catalogue names is on the disk. Everything else is a matter of cleaning up: bytes behind the end of a
// pack (cut off by the next who writes), packs nobody names (removed by the next who writes), chunks nobody uses (left out when
// their pack is packed anew).
//
// One thread at a time writes (a mutex), one process (a lock on `writing.lock`, from the first add() to commit()). Readers have a
// connection of their own and see what was committed.

#include "base/files/file.h"
#include "store/blobs/catalogue_copy.h"
#include "store/blobs/frame_writer.h"
#include "store/blobs/open.h"
#include "store/blobs/pack_files.h"
#include "store/sqlite/changes.h"

#include <set>

namespace holdfast::store {

class BlobStore final : public session::Blobs {
 public:
  BlobStore(std::string folder, BlobOptions options);
  ~BlobStore() override;

  Result<Added> add(const Incoming& file) override;
  Result<void> commit() override;
  Result<std::vector<session::KeptFile>> files(std::string_view key_prefix) override;
  Result<std::vector<session::KeptFile>> versions(std::string_view key) override;
  Result<std::optional<session::KeptFile>> file(std::string_view key) override;
  Result<std::size_t> read(const session::KeptFile& file, std::uint64_t offset, std::span<char> to) override;
  Result<std::size_t> read_what_is_left(const session::KeptFile& file, std::uint64_t offset, std::span<char> to,
                                        std::vector<Gap>& lost) override;
  Result<std::vector<Gap>> gaps(const session::KeptFile& file) override;
  Result<std::int64_t> generation() override;
  Result<void> forget(std::span<const std::string> keys) override;
  Result<void> scrub() override;
  Result<State> state() override;
  Result<Check> verify(const std::function<void(std::uint64_t, std::uint64_t)>& progress) override;
  Result<Check> repair(const std::function<void(std::uint64_t, std::uint64_t)>& progress) override;

  // One transaction of the catalogue, with the packs it appends to.
  struct Writing {
    FileLock lock;
    std::int64_t next_chunk = 0;
    FrameCache cache;
    PackWriter packs;
    ChunkReader chunks;
    FrameWriter frames;
    bool has_changes = false;
    CopyPlace copy;
    std::unique_ptr<ChangeRecorder> changes;  // of the catalogue; absent while there is no copy to make them in

    Writing(FileLock held, BlobStore& store, const std::vector<PackRow>& pack_rows, std::int64_t chunk, std::int64_t frame,
            std::int64_t pack, bool all_whole);
  };

 private:
  friend struct Writing;

  std::string catalogue_path() const { return folder_ + "/catalogue.db"; }
  std::string kept_mark() const { return folder_ + "/kept"; }
  Result<void> check_catalogue() const;  // corrupt: something was kept, and what names it is gone
  Result<void> mark_kept() const;
  Result<Db*> reader();  // read_mutex_ is held; nullptr: nothing is kept yet
  // A catalogue that cannot be used, and why; nullopt: it can, or there is none.
  std::optional<Error> trouble_with_catalogue();
  Result<void> make_catalogue_anew(const Error& why, Check& check);
  Result<void> renew_copy(bool always);  // a new one when the changes have outgrown it
  Result<void> begin(bool all_whole = false);
  Result<FileLock> lock_for_writing() const;
  Result<void> finish();                        // makes the transaction durable, and ends it
  std::unexpected<Error> give_up(Error error);  // rolls back
  Result<std::optional<VersionRow>> glance(std::string_view key);
  // `lost` nullptr: damage is an error.
  Result<std::size_t> read_parts(const session::KeptFile& file, std::uint64_t offset, std::span<char> to, std::vector<Gap>* lost);

  // All live chunks of these packs are packed anew and the packs removed. `strict`: nothing remains that no file has, also not
  // what others are packed against.
  Result<void> repack(const std::set<std::int64_t>& packs, bool strict);
  Result<void> repack_now(const std::set<std::int64_t>& packs, bool strict);

  struct Damage;
  Result<Damage> look_for_damage(Db& db, std::mutex& db_mutex, Check& check,
                                 const std::function<void(std::uint64_t, std::uint64_t)>& progress);

  const std::string folder_, packs_folder_;
  const BlobOptions options_;

  std::mutex write_mutex_;
  std::mutex write_db_mutex_;  // what ChunkReader wants; contested by nobody
  std::unique_ptr<Db> writer_;
  std::unique_ptr<Writing> writing_;
  bool cleaned_up_ = false;
  std::uint64_t told_bytes_ = 0, packed_before_ = 0;  // of packs: told by an Added; in transactions before this one
  std::optional<Error> lost_;                         // a transaction with changes was given up; the next commit() says so

  std::mutex read_mutex_;
  std::unique_ptr<Db> reader_;
  std::uint64_t reader_inode_ = 0;
  std::vector<std::unique_ptr<Db>> former_readers_;  // of a catalogue that was made anew: others may still read there
  FrameCache cache_;
};

// Which chunks files have. By number.
struct LiveChunks {
  std::vector<bool> is_live;
  std::vector<std::int64_t> in_order;  // each once, as the files have them

  bool has(std::int64_t chunk) const {
    return chunk >= 0 && static_cast<std::size_t>(chunk) < is_live.size() && is_live[static_cast<std::size_t>(chunk)];
  }
  void add(std::int64_t chunk);
};
Result<LiveChunks> live_chunks(Db& db);

}  // namespace holdfast::store
