#include "base/crypto/resumable_sha256.h"
#include "store/blobs/blob_store.h"
#include "store/blobs/cutter.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::store {
namespace {

constexpr std::size_t kReadBytes = 1024 * 1024;
// Chunks at the end of what is kept that are compared before what follows is believed to be appended.
constexpr std::size_t kComparedChunks = 2;

// One file on its way in.
class Intake {
 public:
  Intake(Db& db, BlobStore::Writing& writing, const session::Blobs::Incoming& file) : db_(db), writing_(writing), file_(file) {}

  // True: what is kept is a beginning of the file, and take_all() goes on behind it.
  Result<bool> try_to_go_on(const VersionRow& kept);
  // The digest of the first `size` bytes is wanted, too.
  void compare_at(std::uint64_t size) { compared_size_ = size; }
  Result<void> take_all();

  std::uint64_t size() const { return hash_.size(); }
  std::string sha256() const { return to_hex(hash_.digest()); }
  std::string hash_state() const { return hash_.state(); }
  bool begins_with(const std::string& sha256) const { return compared_ && to_hex(*compared_) == sha256; }
  Result<void> put_segments(std::int64_t version) const;

  session::Blobs::Added added;
  bool source_failed = false;

 private:
  Result<std::size_t> read(std::uint64_t offset, std::span<char> to);
  void hash(std::string_view bytes, std::uint64_t offset);
  Result<void> keep(std::string_view chunk);
  Result<std::int64_t> store(const std::optional<ChunkRow>& damaged, const Digest& digest, std::string_view chunk);
  void end_segment();

  Db& db_;
  BlobStore::Writing& writing_;
  const session::Blobs::Incoming& file_;
  ResumableSha256 hash_;
  std::optional<std::uint64_t> compared_size_;
  std::optional<Digest> compared_;
  std::uint64_t start_ = 0;  // of the next chunk
  RecipeSegment open_;
  std::vector<std::pair<std::uint64_t, std::string>> segments_;  // encoded
};

Result<std::size_t> Intake::read(std::uint64_t offset, std::span<char> to) {
  auto got = file_.read(offset, to);
  if (!got) source_failed = true;
  if (got) added.bytes_read += *got;
  return got;
}

Result<bool> Intake::try_to_go_on(const VersionRow& kept) {
  if (kept.hash_state.empty() || kept.kept.size == 0) return false;
  auto state = ResumableSha256::from_state(kept.hash_state);
  if (!state || state->size() != kept.kept.size) return false;
  HF_TRY(auto segment, segment_at(db_, kept.id, kept.kept.size));
  if (!segment || segment->recipe.empty()) return false;
  const Recipe& recipe = segment->recipe;
  const std::size_t compared = std::min(kComparedChunks, recipe.size());
  std::size_t length = 0;
  for (std::size_t i = recipe.size() - compared; i < recipe.size(); ++i) length += recipe[i].size;
  std::string bytes(length + 1, '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    HF_TRY(const std::size_t got, read(kept.kept.size - length + done, std::span(bytes).subspan(done)));
    if (got == 0) return false;  // shorter than before, or as long and changed
    done += got;
  }
  std::size_t at = 0;
  for (std::size_t i = recipe.size() - compared; i < recipe.size(); ++i) {
    HF_TRY(const auto chunk, chunk_row(db_, recipe[i].chunk));
    if (!chunk || holdfast::sha256(std::string_view(bytes).substr(at, recipe[i].size)) != chunk->hash) return false;
    at += recipe[i].size;
  }
  // The last chunk ended where the file did, not where the content said so: it is cut again.
  start_ = kept.kept.size - recipe.back().size;
  open_ = *std::move(segment);
  open_.recipe.pop_back();
  hash_ = *std::move(state);
  return true;
}

void Intake::hash(std::string_view bytes, std::uint64_t offset) {
  if (offset + bytes.size() <= hash_.size()) return;
  if (offset < hash_.size()) bytes.remove_prefix(static_cast<std::size_t>(hash_.size() - offset));
  if (compared_size_ && hash_.size() < *compared_size_ && hash_.size() + bytes.size() >= *compared_size_) {
    const auto head = static_cast<std::size_t>(*compared_size_ - hash_.size());
    hash_.add(bytes.substr(0, head));
    bytes.remove_prefix(head);
    compared_ = hash_.digest();
  }
  hash_.add(bytes);
}

Result<void> Intake::take_all() {
  if (compared_size_ == 0) compared_ = hash_.digest();
  std::string buffer(kReadBytes + kMaxChunk, '\0');
  std::size_t begin = 0, end = 0;
  bool at_end = false;
  for (;;) {
    while (!at_end && end - begin < kMaxChunk) {
      if (buffer.size() - end < kMaxChunk) {
        std::copy(buffer.begin() + static_cast<std::ptrdiff_t>(begin), buffer.begin() + static_cast<std::ptrdiff_t>(end),
                  buffer.begin());
        end -= begin;
        begin = 0;
      }
      const std::uint64_t offset = start_ + (end - begin);
      HF_TRY(const std::size_t got, read(offset, std::span(buffer).subspan(end)));
      hash(std::string_view(buffer).substr(end, got), offset);
      end += got;
      at_end = got == 0;
    }
    if (begin == end) break;
    const std::string_view rest = std::string_view(buffer).substr(begin, end - begin);
    const std::size_t length = first_cut(rest);
    HF_CHECK(keep(rest.substr(0, length)));
    begin += length;
  }
  end_segment();
  return {};
}

Result<void> Intake::keep(std::string_view chunk) {
  const Digest digest = holdfast::sha256(chunk);
  HF_TRY(const auto known, chunk_with_hash(db_, digest));
  std::int64_t id = 0;
  if (known && known->frame != 0) {
    id = known->id;
  } else {
    HF_TRY(id, store(known, digest, chunk));
    added.bytes_new += chunk.size();
  }
  if (open_.recipe.size() == kSegmentParts) end_segment();
  if (open_.recipe.empty()) open_.start = start_;
  open_.recipe.push_back({id, static_cast<std::uint32_t>(chunk.size())});
  start_ += chunk.size();
  return {};
}

Result<std::int64_t> Intake::store(const std::optional<ChunkRow>& damaged, const Digest& digest, std::string_view chunk) {
  const bool sketched = chunk.size() >= kMinSketched;
  Sketch sketch{};
  std::optional<std::int64_t> base;
  if (sketched) {
    sketch = sketch_of(chunk);
    // One that comes again may be what others are packed against: such ones are plain.
    if (!damaged) {
      HF_TRY(base, resembling_chunk(db_, sketch));
    }
  }
  HF_TRY(const FrameWriter::Place place, writing_.frames.place(chunk, base));
  ChunkRow row;
  row.id = damaged ? damaged->id : writing_.next_chunk++;
  row.hash = digest;
  row.frame = place.frame;
  row.start = place.start;
  row.size = static_cast<std::uint32_t>(chunk.size());
  if (damaged) {
    HF_CHECK(place_chunk(db_, row));
  } else {
    HF_CHECK(insert_chunk(db_, row));
  }
  if (sketched && !base) HF_CHECK(insert_sketch(db_, sketch, row.id));
  return row.id;
}

void Intake::end_segment() {
  if (open_.recipe.empty()) return;
  segments_.emplace_back(open_.start, encode_recipe(open_.recipe));
  open_.recipe.clear();
}

Result<void> Intake::put_segments(std::int64_t version) const {
  for (const auto& [start, encoded] : segments_) HF_CHECK(put_segment(db_, version, start, encoded));
  return {};
}

}  // namespace

Result<std::optional<VersionRow>> BlobStore::glance(std::string_view key) {
  if (writing_) return newest_version(*writer_, key);
  const std::lock_guard lock(read_mutex_);
  HF_TRY(Db* const db, reader());
  if (db == nullptr) return std::nullopt;
  return newest_version(*db, key);
}

Result<session::Blobs::Added> BlobStore::add(const Incoming& file) {
  const std::lock_guard lock(write_mutex_);
  HF_TRY(const auto seen, glance(file.key));
  if (seen && !file.incarnation.empty() && seen->kept.incarnation == file.incarnation) return Added{};
  HF_CHECK(begin());
  Intake intake(*writer_, *writing_, file);
  const auto take = [&]() -> Result<void> {
    HF_TRY(const auto newest, newest_version(*writer_, file.key));
    bool goes_on = false;
    if (newest && !file.whole) {
      HF_TRY(goes_on, intake.try_to_go_on(*newest));
    }
    if (newest && !goes_on) intake.compare_at(newest->kept.size);
    HF_CHECK(intake.take_all());

    VersionRow row = newest.value_or(VersionRow{});
    const bool same = newest && newest->kept.size == intake.size() && newest->kept.sha256 == intake.sha256();
    const bool grown = goes_on || (newest && newest->kept.size <= intake.size() && intake.begins_with(newest->kept.sha256));
    if (!grown) {
      row.id = 0;
      row.kept.version = newest ? newest->kept.version + 1 : 1;
    }
    row.kept.key = file.key;
    row.kept.size = intake.size();
    row.kept.sha256 = intake.sha256();
    row.kept.mode = file.mode;
    row.kept.modified_at = file.modified_at;
    row.kept.incarnation = file.incarnation;
    if (!same) row.kept.kept_at = options_.clock ? options_.clock->now() : SystemClock().now();
    row.hash_state = intake.hash_state();
    HF_CHECK(put_version(*writer_, row));
    if (!goes_on) HF_CHECK(writer_->run("DELETE FROM segments WHERE version = ?", row.id));
    HF_CHECK(intake.put_segments(row.id));
    intake.added.changed = !same;
    return {};
  };
  if (auto taken = take(); !taken) {
    // A file that cannot be read leaves chunks nobody names, and what was added before it stands.
    if (intake.source_failed) return fail(std::move(taken).error());
    return give_up(std::move(taken).error());
  }
  writing_->has_changes = true;
  const std::uint64_t packed = std::max(told_bytes_, packed_before_ + writing_->packs.bytes());
  intake.added.bytes_stored = packed - std::exchange(told_bytes_, packed);
  return intake.added;
}

}  // namespace holdfast::store
