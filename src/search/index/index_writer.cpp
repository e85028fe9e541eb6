// IndexWriter: the files, and their merging.

#include "base/run/log.h"
#include "search/index/segment/segment_builder.h"
#include "search/index/update.h"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <thread>
#include <unordered_set>

namespace holdfast::search {
namespace {

// Between two looks at whether the writer of now is done: it writes for tenths of a second.
constexpr std::chrono::milliseconds kLockPause{5};

// Segments of one class are within a factor of four.
unsigned size_class(std::uint64_t text_bytes) {
  return (std::bit_width(text_bytes >> 20) + 1) / 2;
}

}  // namespace

Result<IndexWriter> IndexWriter::open(const std::string& folder, std::uint64_t segment_text, std::chrono::milliseconds patience) {
  HF_CHECK(make_private_folder(folder));
  const std::string path = folder + "/lock";
  const bool for_good = patience == std::chrono::milliseconds::max();
  const auto began = std::chrono::steady_clock::now();
  auto lock = for_good ? FileLock::acquire(path) : FileLock::try_acquire(path);
  while (!lock && lock.error().kind == ErrorKind::conflict && std::chrono::steady_clock::now() - began < patience) {
    std::this_thread::sleep_for(kLockPause);
    lock = FileLock::try_acquire(path);
  }
  if (!lock && lock.error().kind == ErrorKind::conflict)
    return fail(ErrorKind::conflict, "the text index is being updated by another process", "search works meanwhile");
  if (!lock) return fail(std::move(lock).error());
  IndexWriter writer(folder, segment_text, *std::move(lock));
  HF_CHECK(writer.start());
  return writer;
}

Result<void> IndexWriter::start() {
  HF_TRY(auto manifest, read_manifest(folder_));
  manifest_ = manifest ? *std::move(manifest) : Manifest::fresh();
  if (auto opened = open_segments(); !opened) {
    log(LogLevel::warn, "store", "the text index is built anew: " + opened.error().message);
    manifest_ = Manifest::fresh();
    segments_.clear();
    segments_by_number_.clear();
  }
  remove_unlisted();
  return {};
}

Result<void> IndexWriter::open_segments() {
  std::vector<std::shared_ptr<const Segment>> opened;
  for (const ManifestSegment& wanted : manifest_.segments) {
    const std::string path = segment_path(folder_, wanted.number);
    const auto known = segments_by_number_.find(wanted.number);
    if (known != segments_by_number_.end()) {
      opened.push_back(known->second);
      continue;
    }
    HF_TRY(auto segment, Segment::open(path, manifest_.seed));
    if (segment->bytes() != wanted.bytes || segment->block_count() != wanted.blocks)
      return fail(ErrorKind::corrupt, path + " is not the segment that was written");
    opened.push_back(std::move(segment));
  }
  segments_by_number_.clear();
  for (std::size_t i = 0; i < opened.size(); ++i) segments_by_number_.emplace(manifest_.segments[i].number, opened[i]);
  segments_ = std::move(opened);
  return {};
}

void IndexWriter::remove_unlisted() const {
  std::unordered_set<std::string> listed = {manifest_path(folder_), folder_ + "/lock"};
  for (const ManifestSegment& segment : manifest_.segments) listed.insert(segment_path(folder_, segment.number));
  std::error_code error;
  std::vector<std::filesystem::path> strangers;
  for (std::filesystem::directory_iterator file(folder_, error), end; !error && file != end; file.increment(error))
    if (!listed.contains(file->path().string())) strangers.push_back(file->path());
  for (const auto& path : strangers) {
    // Only what looks like ours: somebody may keep a note beside it.
    const std::string name = path.filename().string();
    const bool torn_manifest = name.starts_with(".holdfast-") && name.ends_with(".tmp");  // of replace_file(), base/files/file.h
    if (name.ends_with(".segment") || name.ends_with(".segment.new") || torn_manifest) std::filesystem::remove(path, error);
  }
}

void IndexWriter::add_segment(const WrittenSegment& written) {
  manifest_.segments.push_back({manifest_.next_segment++, written.bytes, written.text_bytes, written.blocks});
}

Result<void> IndexWriter::commit() {
  HF_CHECK(write_manifest(folder_, manifest_));
  return {};
}

std::vector<BlockSet> IndexWriter::alive() const {
  std::unordered_set<std::uint64_t> numbers;
  for (const ManifestSource& source : manifest_.sources) numbers.insert(source.number);
  std::vector<BlockSet> blocks;
  for (const auto& segment : segments_)
    blocks.push_back(segment->blocks_of([&](std::uint64_t number) { return numbers.contains(number); }));
  return blocks;
}

Result<void> IndexWriter::merge(const std::vector<std::size_t>& which, const std::vector<BlockSet>& kept) {
  std::vector<MergeInput> inputs;
  for (const std::size_t i : which) inputs.push_back({segments_[i], kept[i]});
  HF_TRY(const auto written, merge_segments(inputs, manifest_.seed, next_segment_path()));
  std::vector<std::string> obsolete;
  std::vector<ManifestSegment> left;
  for (std::size_t i = 0; i < manifest_.segments.size(); ++i) {
    if (std::ranges::find(which, i) == which.end())
      left.push_back(manifest_.segments[i]);
    else
      obsolete.push_back(segment_path(folder_, manifest_.segments[i].number));
  }
  manifest_.segments = std::move(left);
  if (written) add_segment(*written);
  HF_CHECK(commit());
  std::error_code ignored;  // what stays behind is removed by the next writer
  for (const std::string& path : obsolete) std::filesystem::remove(path, ignored);
  return open_segments();
}

std::vector<std::size_t> IndexWriter::worth_merging(const std::vector<BlockSet>& alive) const {
  for (std::size_t i = 0; i < segments_.size(); ++i)
    if (static_cast<double>(alive[i].count()) <= (1 - kDeadShare) * static_cast<double>(alive[i].size())) return {i};
  for (unsigned wanted = 0; wanted <= size_class(segment_text_); ++wanted) {
    std::vector<std::size_t> group;
    std::uint64_t text = 0;
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      if (size_class(segments_[i]->text_bytes()) > wanted || text + segments_[i]->text_bytes() > segment_text_) continue;
      group.push_back(i);
      text += segments_[i]->text_bytes();
    }
    if (group.size() >= kMergeFanIn) return group;
  }
  return {};
}

Result<void> IndexWriter::merge_small(const std::stop_token& stop) {
  HF_CHECK(open_segments());
  while (!stop.stop_requested()) {
    const std::vector<BlockSet> kept = alive();
    const std::vector<std::size_t> group = worth_merging(kept);
    if (group.empty()) return {};
    HF_CHECK(merge(group, kept));
  }
  return {};
}

Result<void> IndexWriter::clear() {
  manifest_ = Manifest::fresh();
  segments_.clear();
  segments_by_number_.clear();
  HF_CHECK(commit());
  remove_unlisted();
  return {};
}

// A damaged segment may hold what was erased: then all of them go.
Result<void> IndexWriter::forget(const TextIndex::Erased& erased) {
  std::vector<BlockSet> kept = alive();
  for (std::size_t i = segments_.size(); i-- > 0;) {  // what is written anew comes to stand behind those that are left
    const Segment& segment = *segments_[i];
    BlockSet erased_blocks(segment.block_count());
    bool readable = true;
    for (const std::string& attribute : erased.attributes)
      readable = segment.attributes().find(attribute_term(attribute), erased_blocks) && readable;
    if (!readable) return clear();
    erased_blocks.each([&](std::size_t block) {
      if (!erased.stays(segment.block(block).from)) kept[i].drop(block);
    });
    if (kept[i].count() == segment.block_count()) continue;
    if (auto merged = merge({i}, kept); !merged) {
      if (merged.error().kind != ErrorKind::corrupt) return merged;
      return clear();
    }
  }
  return commit();  // the old names are gone for good
}

}  // namespace holdfast::search
