#include "kinds/research/corpus/corpus_update.h"

#include "base/run/clock.h"
#include "base/run/run_guarded.h"
#include "kinds/research/corpus/index_batch.h"
#include "kinds/research/text/document_text.h"
#include "kinds/research/text/pdf_text.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <span>
#include <system_error>
#include <thread>
#include <tuple>

namespace holdfast::research {
namespace {

// Below this, starting a second thread costs more than it brings.
constexpr std::uint64_t kBytesForTwoThreads = 8 << 20;

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
  bool was_unreadable = false;  // and may be read by now, though its bytes are the same
  // Set by reading:
  bool is_new = false;            // its chunks come from a batch
  bool gone = false;              // it could not be read
  std::uint32_t batch_chunk = 0;  // the first of them there
};

std::vector<Plan> make_plan(const CorpusIndex& old, const std::vector<Walked>& walked) {
  std::vector<Plan> plan;
  const bool reads_pdf = has_pdftotext();
  auto known = old.files.begin();
  for (std::uint32_t root = 0; root < walked.size(); ++root) {
    for (const WalkedFile& found : walked[root].files) {
      while (known != old.files.end() && std::tie(known->root, known->path) < std::tie(root, found.path)) ++known;
      Plan& item = plan.emplace_back();
      if (known != old.files.end() && known->root == root && known->path == found.path) {
        item.before = &*known;
        item.file = *known;
      }
      item.was_unreadable = item.before && item.before->chunk_count == 0 && item.before->title == kNoPdfReader && reads_pdf;
      item.must_read =
          !item.before || item.file.size != found.size || item.file.modified_ns != found.modified_ns || item.was_unreadable;
      item.file.root = root;
      item.file.path = found.path;
      item.file.size = found.size;
      item.file.modified_ns = found.modified_ns;
    }
  }
  return plan;
}

// Reads a part of the plan into a batch. Each part has a thread of its own.
class PlanPart {
 public:
  PlanPart(ByteHash::Seed seed, std::span<Plan> plan) : batch(seed), plan_(plan) {}

  void run(const std::vector<Fd>& roots, std::atomic<std::uint64_t>& done, const std::function<bool()>& go_on) {
    for (Plan& item : plan_) {
      if (!item.must_read) continue;
      if (!go_on()) return;
      read_one(roots, item);
      done += item.file.size;
    }
    finished = true;
  }
  std::size_t size() const { return plan_.size(); }

  IndexBatch batch;
  bool finished = false;  // neither stopped nor thrown out
  std::size_t read = 0, indexed = 0;
  std::uint64_t indexed_bytes = 0;

 private:
  void read_one(const std::vector<Fd>& roots, Plan& item) {
    const std::int64_t now_ns = SystemClock().now() * 1'000'000;
    auto bytes = read_document(roots[item.file.root], item.file.path);
    if (!bytes) {
      item.gone = true;
      return;
    }
    ++read;
    item.file.size = bytes->size();
    item.file.modified_ns = trusted_time(item.file.modified_ns, now_ns);
    DocumentText document = document_text(item.file.path, *std::move(bytes));
    if (item.before && item.before->digest == document.digest && !item.was_unreadable) return;
    item.is_new = true;
    item.file.digest = document.digest;
    item.batch_chunk = static_cast<std::uint32_t>(batch.chunks.size());
    item.file.chunk_count = batch.add(document);
    item.file.title = item.file.chunk_count > 0 ? document.title : document.skipped;
    ++indexed;
    indexed_bytes += item.file.size;
  }

  std::span<Plan> plan_;
};

// Where to cut the plan so that both halves have about as much to read.
std::size_t middle_of(const std::vector<Plan>& plan, std::uint64_t total) {
  std::uint64_t bytes = 0;
  std::size_t middle = 0;
  while (middle < plan.size() && bytes < total / 2) {
    if (plan[middle].must_read) bytes += plan[middle].file.size;
    ++middle;
  }
  return middle;
}

class Update {
 public:
  Update(const CorpusIndex& old, const std::vector<Fd>& roots, const UpdateCalls& calls)
      : old_(old), roots_(roots), calls_(calls) {}

  Result<UpdateOutcome> run(const std::vector<Walked>& walked) {
    plan_ = make_plan(old_, walked);
    for (const Walked& root : walked) {
      outcome_.counts.skipped += root.skipped.count();
      outcome_.left_out.push_back(root.skipped);
    }
    for (const Plan& item : plan_)
      if (item.must_read) total_ += item.file.size;
    read_files();
    if (stopped_) return fail(ErrorKind::cancelled, "stopped while reading documents");
    if (!parts_[1].finished) return fail(ErrorKind::internal, "documents could not be read: see the log");
    count();
    if (changed())
      outcome_.index = assemble();
    else if (outcome_.counts.read != 0)
      outcome_.index = with_new_times();
    return std::move(outcome_);
  }

 private:
  void read_files() {
    const std::size_t middle = total_ >= kBytesForTwoThreads ? middle_of(plan_, total_) : plan_.size();
    const std::span<Plan> plan(plan_);
    parts_.reserve(2);
    parts_.emplace_back(old_.seed, plan.subspan(0, middle));
    parts_.emplace_back(old_.seed, plan.subspan(middle));

    const auto beside = [this] {
      auto work = [this] { parts_[1].run(roots_, done_, [this] { return !stopped_; }); };
      run_guarded(work, "corpus");
    };
    std::jthread second;
    try {
      if (middle < plan_.size()) second = std::jthread(beside);
    } catch (const std::system_error&) {
    }
    parts_[0].run(roots_, done_, [this] { return go_on(); });
    if (second.joinable())
      second.join();
    else
      beside();  // it has nothing to do, or there was no thread to be had
    go_on();
  }

  // On the caller's thread alone: its functions need not be thread-safe.
  bool go_on() {
    if (calls_.cancelled && calls_.cancelled()) stopped_ = true;
    if (calls_.on_progress && !stopped_ && total_ != 0) calls_.on_progress(done_, total_);
    return !stopped_;
  }

  void count() {
    CorpusUpdate& counts = outcome_.counts;
    for (const PlanPart& part : parts_) {
      counts.read += part.read;
      counts.indexed += part.indexed;
      outcome_.indexed_bytes += part.indexed_bytes;
    }
    for (const Plan& item : plan_) {
      if (item.gone || item.file.chunk_count == 0) {
        ++counts.skipped;
        const std::string why = item.gone ? "it cannot be opened" : item.file.title;
        if (!why.empty()) outcome_.left_out[item.file.root].add(item.file.path, why);
        continue;
      }
      ++counts.files;
      counts.bytes += item.file.size;
    }
  }

  bool changed() const {
    return outcome_.counts.indexed != 0 || plan_.size() != old_.files.size() ||
           std::ranges::any_of(plan_, [](const Plan& item) { return item.gone; });
  }

  // Files were touched, none was changed.
  std::unique_ptr<CorpusIndex> with_new_times() {
    auto made = std::make_unique<CorpusIndex>(old_);
    for (std::size_t i = 0; i < plan_.size(); ++i) made->files[i] = std::move(plan_[i].file);
    return made;
  }

  std::unique_ptr<CorpusIndex> assemble() {
    auto made = std::make_unique<CorpusIndex>();
    made->seed = old_.seed;
    std::vector<std::uint32_t> from_old(old_.chunks.size(), kGone);
    std::vector<std::vector<std::uint32_t>> from_part;
    for (const PlanPart& part : parts_) from_part.emplace_back(part.batch.chunks.size(), kGone);

    for (std::size_t i = 0; i < plan_.size(); ++i) {
      Plan& item = plan_[i];
      if (item.gone) continue;
      const std::size_t part = i < parts_[0].size() ? 0 : 1;
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

  const CorpusIndex& old_;
  const std::vector<Fd>& roots_;
  const UpdateCalls& calls_;
  std::vector<Plan> plan_;
  std::vector<PlanPart> parts_;
  UpdateOutcome outcome_;
  std::uint64_t total_ = 0;
  std::atomic<std::uint64_t> done_ = 0;
  std::atomic<bool> stopped_ = false;
};

}  // namespace

Result<UpdateOutcome> update_index(const CorpusIndex& old, const std::vector<Fd>& roots, const std::vector<Walked>& walked,
                                   const UpdateCalls& calls) {
  return Update(old, roots, calls).run(walked);
}

}  // namespace holdfast::research
