#include "search/folder/index_update.h"

#include "base/run/clock.h"
#include "base/run/run_guarded.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <span>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>

namespace holdfast::search {

void IndexBatch::add(const FolderText& text) {
  for (const ChunkPlace& place : text.chunks) {
    const std::string_view piece = std::string_view(text.text).substr(place.offset, place.length);
    used_.clear();
    length_ = 0;
    scan_words(piece, *this);
    IndexedChunk chunk;
    chunk.place = place;
    chunk.check = hash_(piece);
    chunk.words = length_;
    if (&place == &text.chunks.front()) scan_words(text.also, *this);
    const auto number = static_cast<std::uint32_t>(chunks.size());
    run_.reserve(kRunLength + kFewWords);  // at once: growing would hold it twice
    for (const std::uint32_t slot : used_) run_.push_back({std::exchange(keys_[slot], 0), number, counts_[slot]});
    chunks.push_back(chunk);
    if (run_.size() >= kRunLength) end_run();
  }
}

void IndexBatch::word(std::string_view folded) {
  ++length_;
  count_word(hash_(folded), 1);
}

void IndexBatch::count_word(std::uint64_t key, std::uint32_t count) {
  const std::size_t mask = keys_.size() - 1;
  std::size_t slot = key & mask;
  while (keys_[slot] != key && keys_[slot] != 0) slot = (slot + 1) & mask;
  if (keys_[slot] == key) {
    counts_[slot] += count;
    return;
  }
  keys_[slot] = key;
  counts_[slot] = count;
  used_.push_back(static_cast<std::uint32_t>(slot));
  if (2 * used_.size() > keys_.size()) grow();
}

void IndexBatch::grow() {
  const std::vector<std::uint64_t> keys = std::exchange(keys_, std::vector<std::uint64_t>(2 * keys_.size()));
  const std::vector<std::uint32_t> counts = std::exchange(counts_, std::vector<std::uint32_t>(2 * keys.size()));
  for (const std::uint32_t slot : std::exchange(used_, {})) count_word(keys[slot], counts[slot]);
}

void IndexBatch::end_run() {
  if (run_.empty()) return;
  runs_.push_back(Postings::of(run_, scratch_));
  run_.clear();
}

std::vector<Postings> IndexBatch::finish() {
  end_run();
  std::vector<Posting>().swap(run_);  // the merge wants their memory
  std::vector<Posting>().swap(scratch_);
  return std::move(runs_);
}

namespace {

// With less to read, a further thread costs more than it brings.
constexpr std::uint64_t kBytesForAThread = 4 << 20;
constexpr std::uint64_t kMaxIndexThreads = 4;  // each has 32 MB of its own (IndexBatch)

// A file may be written again within the same tick of its file system's clock, and then looks unchanged. Clocks of kernels tick
// every 10 ms or less, those of some file systems every two seconds (their times are whole seconds).
constexpr std::int64_t kTickNs = 50'000'000, kCoarseTickNs = 2'000'000'000;

std::int64_t trusted_time(std::int64_t modified_ns, std::int64_t looked_at_ns) {
  const std::int64_t tick = modified_ns % 1'000'000'000 == 0 ? kCoarseTickNs : kTickNs;
  return looked_at_ns - modified_ns < tick ? kUnsure : modified_ns;
}

// One file of the new index: as it was, or read again.
struct Plan {
  IndexedFile file;
  const IndexedFile* before = nullptr;
  bool must_read = false;
  // Set by reading:
  bool is_new = false;            // its chunks come from a batch
  bool gone = false;              // it could not be read
  std::uint32_t batch_chunk = 0;  // the first of them there
};

std::vector<Plan> make_plan(const ChunkIndex& old, const std::vector<FolderFile>& files, const IndexUpdate& how) {
  std::vector<Plan> plan;
  plan.reserve(files.size());
  auto known = old.files.begin();
  for (const FolderFile& found : files) {
    while (known != old.files.end() && std::tie(known->root, known->path) < std::tie(found.root, found.path)) ++known;
    Plan& item = plan.emplace_back();
    if (known != old.files.end() && known->root == found.root && known->path == found.path) {
      item.before = &*known;
      item.file = *known;
    }
    item.must_read = !item.before || item.file.size != found.size || item.file.modified_ns != found.modified_ns ||
                     (how.doubted && how.doubted(plan.size() - 1, *item.before));
    item.file.root = found.root;
    item.file.path = found.path;
    item.file.size = found.size;
    item.file.modified_ns = found.modified_ns;
  }
  return plan;
}

bool has_new_stamp(const Plan& item) {
  return item.file.size != item.before->size || item.file.modified_ns != item.before->modified_ns;
}

// Reads a part of the plan into a batch. Each part has a thread of its own.
class PlanPart {
 public:
  PlanPart(ByteHash::Seed seed, std::span<Plan> plan, std::size_t first) : batch(seed), plan_(plan), first_(first) {}

  void run(const IndexUpdate::Read& read_file, std::atomic<std::uint64_t>& done, const std::function<bool()>& go_on) {
    for (std::size_t i = 0; i < plan_.size(); ++i) {
      if (!plan_[i].must_read) continue;
      if (!go_on()) return;
      read_one(read_file, first_ + i, plan_[i]);
      done += plan_[i].file.size;
    }
    finished = true;
  }
  std::size_t end() const { return first_ + plan_.size(); }

  IndexBatch batch;
  bool finished = false;  // neither stopped nor thrown out
  std::size_t read = 0, indexed = 0;
  std::uint64_t indexed_bytes = 0;

 private:
  void read_one(const IndexUpdate::Read& read_file, std::size_t number, Plan& item) {
    const std::int64_t now_ns = SystemClock().now() * 1'000'000;
    const Result<FolderText> text = read_file(number);
    if (!text) {
      item.gone = true;
      return;
    }
    ++read;
    item.file.modified_ns = text->lasting ? trusted_time(item.file.modified_ns, now_ns) : kUnsure;
    // Of the same bytes it may still be another reason why there is no text: a program that reads them is there by now.
    if (item.before && item.before->digest == text->digest &&
        (item.before->chunk_count != 0 || item.before->title == text->title))
      return;
    item.is_new = true;
    item.file.digest = text->digest;
    item.file.title = text->title;
    item.file.chunk_count = static_cast<std::uint32_t>(text->chunks.size());
    item.batch_chunk = static_cast<std::uint32_t>(batch.chunks.size());
    batch.add(*text);
    ++indexed;
    indexed_bytes += item.file.size;
  }

  std::span<Plan> plan_;
  const std::size_t first_;
};

class Update {
 public:
  Update(const ChunkIndex& old, const IndexUpdate& how) : old_(old), how_(how) {}

  Result<UpdateOutcome> run(const std::vector<FolderFile>& files) {
    plan_ = make_plan(old_, files, how_);
    for (const Plan& item : plan_)
      if (item.must_read) total_ += item.file.size;
    divide();
    read_files();
    if (stopped_) return fail(ErrorKind::cancelled, "stopped while reading documents");
    for (const PlanPart& part : parts_) {
      if (!part.finished) return fail(ErrorKind::internal, "documents could not be read: see the log");
      outcome_.read += part.read;
      outcome_.indexed += part.indexed;
      outcome_.indexed_bytes += part.indexed_bytes;
    }
    for (std::size_t i = 0; i < plan_.size(); ++i)
      if (plan_[i].gone) outcome_.gone.push_back(i);
    if (outcome_.indexed != 0 || plan_.size() != old_.files.size() || !outcome_.gone.empty())
      outcome_.index = assemble();
    else if (std::ranges::any_of(plan_, has_new_stamp))
      outcome_.index = with_new_times();
    return std::move(outcome_);
  }

 private:
  // Into parts that have about as much to read.
  void divide() {
    const std::uint64_t cores = std::max(1U, std::thread::hardware_concurrency());
    const std::uint64_t wanted = std::clamp<std::uint64_t>(total_ / kBytesForAThread, 1, std::min(cores, kMaxIndexThreads));
    parts_.reserve(wanted);
    std::uint64_t bytes = 0;
    for (std::size_t begin = 0, end = 0; parts_.size() < wanted; begin = end) {
      const bool is_last = parts_.size() + 1 == wanted;
      for (; end < plan_.size() && (is_last || bytes < total_ / wanted * (parts_.size() + 1)); ++end)
        if (plan_[end].must_read) bytes += plan_[end].file.size;
      parts_.emplace_back(old_.seed, std::span(plan_).subspan(begin, end - begin), begin);
    }
  }

  void read_files() {
    const auto beside = [this](PlanPart& part) {
      auto work = [&] { part.run(how_.make_reader(), done_, [this] { return !stopped_; }); };
      run_guarded(work, "index");
    };
    std::vector<std::jthread> others;
    std::size_t started = 1;
    try {
      for (; started < parts_.size(); ++started) others.emplace_back(beside, std::ref(parts_[started]));
    } catch (const std::system_error&) {
    }
    parts_[0].run(how_.make_reader(), done_, [this] { return go_on(); });
    others.clear();                                                      // joins
    for (; started < parts_.size(); ++started) beside(parts_[started]);  // there was no thread to be had
    go_on();
  }

  // On the caller's thread alone: its functions need not be thread-safe.
  bool go_on() {
    if (how_.cancelled && how_.cancelled()) stopped_ = true;
    if (how_.on_progress && !stopped_ && total_ != 0) how_.on_progress(done_, total_);
    return !stopped_;
  }

  // Files were touched, none was changed.
  std::unique_ptr<ChunkIndex> with_new_times() {
    auto made = std::make_unique<ChunkIndex>(old_);
    for (std::size_t i = 0; i < plan_.size(); ++i) made->files[i] = std::move(plan_[i].file);
    return made;
  }

  std::unique_ptr<ChunkIndex> assemble() {
    auto made = std::make_unique<ChunkIndex>();
    made->seed = old_.seed;
    std::vector<std::uint32_t> from_old(old_.chunks.size(), kGone);
    std::vector<std::vector<std::uint32_t>> from_part;
    for (const PlanPart& part : parts_) from_part.emplace_back(part.batch.chunks.size(), kGone);

    for (std::size_t i = 0, part = 0; i < plan_.size(); ++i) {
      Plan& item = plan_[i];
      if (item.gone) continue;
      while (i >= parts_[part].end()) ++part;
      const std::vector<IndexedChunk>& source = item.is_new ? parts_[part].batch.chunks : old_.chunks;
      std::vector<std::uint32_t>& numbers = item.is_new ? from_part[part] : from_old;
      const std::uint32_t begin = item.is_new ? item.batch_chunk : item.file.first_chunk;
      item.file.first_chunk = static_cast<std::uint32_t>(made->chunks.size());
      for (std::uint32_t chunk = begin; chunk != begin + item.file.chunk_count; ++chunk) {
        numbers[chunk] = static_cast<std::uint32_t>(made->chunks.size());
        made->chunks.push_back(source[chunk]);
        made->chunks.back().file = static_cast<std::uint32_t>(made->files.size());
      }
      made->files.push_back(std::move(item.file));
    }
    outcome_.lost_text = std::ranges::find(from_old, kGone) != from_old.end();
    made->postings = merge(from_old, from_part, made->chunks.size());
    made->count_words();
    return made;
  }

  // The runs of the batches follow each other; only then what was there before comes in between.
  Postings merge(const std::vector<std::uint32_t>& from_old, const std::vector<std::vector<std::uint32_t>>& from_part,
                 std::size_t chunks) {
    std::vector<Postings> runs;
    std::vector<std::size_t> part_of;
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      for (Postings& run : parts_[part].batch.finish()) {
        runs.push_back(std::move(run));
        part_of.push_back(part);
      }
    }
    std::vector<Postings::Source> sources;
    for (std::size_t i = 0; i < runs.size(); ++i) sources.push_back({&runs[i], from_part[part_of[i]]});
    if (old_.chunks.empty()) return Postings::merge(sources);
    if (sources.empty()) return Postings::merge(std::vector<Postings::Source>{{&old_.postings, from_old}});
    const Postings fresh = Postings::merge(sources);
    std::vector<std::uint32_t> same(chunks);
    std::iota(same.begin(), same.end(), 0U);
    return Postings::merge(std::vector<Postings::Source>{{&old_.postings, from_old}, {&fresh, same}});
  }

  const ChunkIndex& old_;
  const IndexUpdate& how_;
  std::vector<Plan> plan_;
  std::vector<PlanPart> parts_;
  UpdateOutcome outcome_;
  std::uint64_t total_ = 0;
  std::atomic<std::uint64_t> done_ = 0;
  std::atomic<bool> stopped_ = false;
};

}  // namespace

Result<UpdateOutcome> update_index(const ChunkIndex& old, const std::vector<FolderFile>& files, const IndexUpdate& how) {
  return Update(old, how).run(files);
}

}  // namespace holdfast::search
