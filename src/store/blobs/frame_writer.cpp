#include "store/blobs/frame_writer.h"

#include "base/files/zstd_block.h"
#include "store/blobs/cutter.h"

#include <algorithm>

namespace holdfast::store {
namespace {

constexpr std::size_t kThreads = 2;  // as many as the smallest machine has; the reading thread mostly waits for them
constexpr std::size_t kWaiting = 4;  // frames; with their prefixes two megabytes

}  // namespace

FrameWriter::FrameWriter(PackWriter& packs, ChunkReader& bases, std::int64_t next, bool all_whole)
    : packs_(packs), bases_(bases), next_(next), all_whole_(all_whole) {}

FrameWriter::~FrameWriter() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    waiting_.clear();
  }
  changed_.notify_all();
}

Result<FrameWriter::Place> FrameWriter::place(std::string_view bytes, std::optional<std::int64_t> base) {
  HF_CHECK(trouble());
  Open& open = base ? alike_ : plain_;
  if (!open.raw.empty() && (open.raw.size() + bytes.size() > kFrameBytes || open.base_bytes > kFrameBytes)) HF_CHECK(flush(open));
  if (open.raw.empty()) {
    open.frame = next_++;
    open.raw.reserve(kFrameBytes);
  }
  const Place place{open.frame, static_cast<std::uint32_t>(open.raw.size())};
  open.raw += bytes;
  if (base && std::ranges::find(open.bases, *base) == open.bases.end()) {
    open.bases.push_back(*base);
    open.base_bytes += kAverageChunk;
  }
  return place;
}

Result<FrameBytes> FrameWriter::unwritten(std::int64_t frame) {
  for (const Open* open : {&plain_, &alike_}) {
    if (!open->raw.empty() && open->frame == frame) return std::make_shared<const std::string>(open->raw);
  }
  FrameRow row;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = in_work_.find(frame); found != in_work_.end()) return found->second;
    const auto found = row_of_.find(frame);
    if (found == row_of_.end()) return FrameBytes();
    row = written_[found->second];
  }
  return bases_.unpack(row);
}

Result<void> FrameWriter::flush(Open& open) {
  Job job;
  job.frame = open.frame;
  job.loose = !all_whole_ && open.raw.size() < kWholeFrame;
  if (!open.bases.empty()) {
    // A base may lie in the plain frame that is still open: read() finds it there.
    HF_TRY(job.prefix, bases_.prefix_of(open.bases));
  }
  job.bases = std::move(open.bases);
  job.raw = std::make_shared<const std::string>(std::move(open.raw));
  open = {};
  // One small frame alone is quicker without a thread.
  if (job.loose && threads_.empty()) {
    ZstdPacker packer(kFrameLevel);
    return pack(packer, job);
  }
  if (threads_.size() < kThreads) threads_.emplace_back([this] { work(); });
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_.size() < kWaiting || error_; });
    in_work_[job.frame] = job.raw;
    waiting_.push_back(std::move(job));
  }
  changed_.notify_all();
  return trouble();
}

Result<void> FrameWriter::pack(ZstdPacker& packer, const Job& job) {
  HF_TRY(const std::string packed, packer.pack(*job.raw, job.prefix));
  HF_TRY(const PackWriter::Place place, packs_.append(packed, job.loose));
  FrameRow row;
  row.id = job.frame;
  row.pack = place.pack;
  row.start = place.start;
  row.size = static_cast<std::uint32_t>(packed.size());
  row.raw_size = static_cast<std::uint32_t>(job.raw->size());
  row.bases = job.bases;
  const std::lock_guard lock(mutex_);
  row_of_[job.frame] = written_.size();
  written_.push_back(std::move(row));
  in_work_.erase(job.frame);
  return {};
}

void FrameWriter::work() {
  ZstdPacker packer(kFrameLevel);
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return closing_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const Job job = std::move(waiting_.front());
    waiting_.pop_front();
    ++working_;
    lock.unlock();
    changed_.notify_all();
    auto packed = pack(packer, job);
    lock.lock();
    --working_;
    if (!packed && !error_) error_ = std::move(packed).error();
    changed_.notify_all();
  }
}

Result<void> FrameWriter::trouble() {
  const std::lock_guard lock(mutex_);
  if (error_) return fail(*error_);
  return {};
}

Result<void> FrameWriter::finish() {
  // Those that are packed against others first: their bases may still be at hand in the open plain frame.
  for (Open* open : {&alike_, &plain_}) {
    if (!open->raw.empty()) HF_CHECK(flush(*open));
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return (waiting_.empty() && working_ == 0) || error_; });
  if (error_) return fail(*error_);
  return {};
}

}  // namespace holdfast::store
