// IndexWriter: the files, and their merging.

#include "base/run/log.h"
#include "search/index/update.h"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <unordered_set>

namespace holdfast::search {
namespace {

// Segments of one class are within a factor of four.
unsigned size_class(std::uint64_t text_bytes) {
  return (std::bit_width(text_bytes >> 20) + 1) / 2;
}

}  // namespace

Result<IndexWriter> IndexWriter::open(const std::string& folder, bool wait) {
  HF_CHECK(make_private_folder(folder));
  const std::string path = folder + "/lock";
  auto lock = wait ? FileLock::acquire(path) : FileLock::try_acquire(path);
  if (!lock && lock.error().kind == ErrorKind::conflict)
    return fail(ErrorKind::conflict, "the text index is being updated by another process", "search works meanwhile");
  if (!lock) return fail(std::move(lock).error());
  IndexWriter writer(folder, *std::move(lock));
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

IsAlive IndexWriter::alive() const {
  std::unordered_set<std::uint64_t> numbers;
  for (const ManifestSource& source : manifest_.sources) numbers.insert(source.number);
  return [numbers = std::move(numbers)](std::uint64_t number) { return numbers.contains(number); };
}

Result<void> IndexWriter::merge(const std::vector<std::size_t>& which) {
  std::vector<std::shared_ptr<const Segment>> inputs;
  for (const std::size_t i : which) inputs.push_back(segments_[i]);
  HF_TRY(const auto written, merge_segments(inputs, alive(), manifest_.seed, next_segment_path()));
  std::vector<std::string> obsolete;
  std::vector<ManifestSegment> kept;
  for (std::size_t i = 0; i < manifest_.segments.size(); ++i) {
    if (std::ranges::find(which, i) == which.end())
      kept.push_back(manifest_.segments[i]);
    else
      obsolete.push_back(segment_path(folder_, manifest_.segments[i].number));
  }
  manifest_.segments = std::move(kept);
  if (written) add_segment(*written);
  HF_CHECK(commit());
  std::error_code ignored;  // what stays behind is removed by the next writer
  for (const std::string& path : obsolete) std::filesystem::remove(path, ignored);
  return open_segments();
}

std::vector<std::size_t> IndexWriter::worth_merging() const {
  const IsAlive is_alive = alive();
  for (std::size_t i = 0; i < segments_.size(); ++i)
    if (dead_share(*segments_[i], is_alive) >= kDeadShare) return {i};
  for (unsigned wanted = 0; wanted <= size_class(kSegmentTextBytes); ++wanted) {
    std::vector<std::size_t> group;
    std::uint64_t text = 0;
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      if (size_class(segments_[i]->text_bytes()) > wanted || text + segments_[i]->text_bytes() > kSegmentTextBytes) continue;
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
    const std::vector<std::size_t> group = worth_merging();
    if (group.empty()) return {};
    HF_CHECK(merge(group));
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

Result<void> IndexWriter::drop_dead() {
  const IsAlive is_alive = alive();
  for (;;) {
    const auto dead = std::ranges::find_if(segments_, [&](const auto& segment) { return dead_share(*segment, is_alive) > 0; });
    if (dead == segments_.end()) break;
    HF_CHECK(merge({static_cast<std::size_t>(dead - segments_.begin())}));
  }
  HF_CHECK(commit());
  return sync_folder(folder_);  // the old names are gone for good
}

}  // namespace holdfast::search
