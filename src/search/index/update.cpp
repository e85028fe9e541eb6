#include "search/index/update.h"

#include "base/run/log.h"
#include "search/words/fold.h"

#include <algorithm>
#include <thread>
#include <unordered_map>
#include <unordered_set>

namespace holdfast::search {
namespace {

// Less than this is not worth a second thread.
constexpr std::uint64_t kUpdateAloneBytes = 4 << 20;
// Rows read at a time, unless they have kBatchBytes of text before.
constexpr std::uint64_t kBatchRows = 1024;

// Copies of passages, so that their source can be read on by another thread while these are cut into words.
class PassageBatch {
 public:
  void clear();
  void add(const Passage& passage);
  // Gives each passage, in order.
  template <class Take>
  void each(const Take& take) const {
    std::vector<std::string_view> attributes;
    for (const Item& item : items_) {
      Passage passage = item.passage;
      passage.text = std::string_view(bytes_).substr(item.text, item.text_size);
      attributes.clear();
      for (std::size_t i = item.first_attribute; i < item.last_attribute; ++i)
        attributes.push_back(std::string_view(bytes_).substr(attributes_[i].first, attributes_[i].second));
      passage.attributes = attributes;
      take(passage);
    }
  }
  std::size_t text_bytes() const { return text_bytes_; }

 private:
  struct Item {
    Passage passage;  // without its views
    std::size_t text = 0, text_size = 0, first_attribute = 0, last_attribute = 0;
  };
  std::string bytes_;
  std::vector<Item> items_;
  std::vector<std::pair<std::size_t, std::size_t>> attributes_;
  std::size_t text_bytes_ = 0;
};

void PassageBatch::clear() {
  if (bytes_.capacity() > kKeptBytes) bytes_ = {};
  bytes_.clear();
  items_.clear();
  attributes_.clear();
  text_bytes_ = 0;
}

void PassageBatch::add(const Passage& passage) {
  Item item{passage, bytes_.size(), passage.text.size(), attributes_.size(), 0};
  item.passage.text = {};
  item.passage.attributes = {};
  bytes_ += passage.text;
  text_bytes_ += passage.text.size();
  for (const std::string_view attribute : passage.attributes) {
    attributes_.emplace_back(bytes_.size(), attribute.size());
    bytes_ += attribute;
  }
  item.last_attribute = attributes_.size();
  items_.push_back(item);
}

}  // namespace

Result<void> Updater::run() {
  HF_TRY(const bool changed, reconcile());
  if (changed) HF_CHECK(writer_.commit());
  if (worth_sealing())
    while (!waiting_.empty() && !stop_.stop_requested()) HF_CHECK(round());
  return writer_.merge_small(stop_);
}

Result<bool> Updater::reconcile() {
  HF_TRY(const SourceList snapshot, sources_.list());
  std::vector<Source> listed = *snapshot;
  Manifest& manifest = writer_.manifest();
  std::unordered_map<std::string_view, const ManifestSource*> known;
  for (const ManifestSource& source : manifest.sources) known.emplace(source.key, &source);
  std::vector<ManifestSource> sources;
  std::unordered_set<std::string_view> seen;
  bool changed = false;
  std::ranges::sort(listed, [](const Source& a, const Source& b) { return a.changed_at > b.changed_at; });
  for (const Source& source : listed) {
    if (!seen.insert(source.key).second) continue;
    done_.total += source.size;
    const auto found = known.find(source.key);
    if (found != known.end() && goes_on(*found->second, source, sources_)) {
      sources.push_back(*found->second);
    } else {
      ManifestSource fresh;
      fresh.number = manifest.next_source++;
      fresh.key = source.key;
      fresh.incarnation = source.incarnation;
      sources.push_back(std::move(fresh));
      changed = changed || found != known.end();
      if (source.size > 0) ++never_indexed_;
    }
    const ManifestSource& entry = sources.back();
    done_.done += entry.offset;
    if (entry.offset < source.size) waiting_.push_back({source, sources.size() - 1, {entry.offset, entry.line}});
  }
  const std::size_t kept = static_cast<std::size_t>(
      std::ranges::count_if(manifest.sources, [&](const ManifestSource& source) { return seen.contains(source.key); }));
  changed = changed || kept != manifest.sources.size();
  manifest.sources = std::move(sources);
  if (progress_) progress_(done_);
  return changed;
}

bool Updater::worth_sealing() const {
  if (never_indexed_ > 0 || waiting_.size() > kTailSources) return !waiting_.empty();
  std::uint64_t text = 0;
  for (const Work& work : waiting_) {
    if (work.source.rows) return true;  // who keeps rows knows how much text is in them, and asks when it is worth it
    text += work.source.size - writer_.manifest().sources[work.entry].offset;
  }
  return text >= kTailBytes;
}

Result<void> Updater::round() {
  std::uint64_t bytes = 0;
  for (const Work& work : waiting_) bytes += work.source.size - work.position.offset;
  const std::size_t threads = bytes < kUpdateAloneBytes ? 1 : kUpdateThreads;
  Manifest& manifest = writer_.manifest();
  while (builders_.size() < threads) builders_.push_back(std::make_unique<SegmentBuilder>(manifest.seed));
  over_ = false;
  std::vector<Outcome> outcomes(threads);
  std::vector<std::string> paths;
  // Numbers are given in advance; one that is not used is a gap.
  const std::uint64_t first = manifest.next_segment;
  for (std::size_t i = 0; i < threads; ++i) {
    paths.push_back(writer_.next_segment_path());
    ++manifest.next_segment;
  }
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back([&, i] { work(*builders_[i], paths[i], outcomes[i]); });
    work(*builders_[0], paths[0], outcomes[0]);
  }
  for (const Outcome& outcome : outcomes)
    if (!outcome.written) return fail(outcome.written.error());
  for (std::size_t i = 0; i < threads; ++i) {
    const WrittenSegment& written = *outcomes[i].written;
    if (!outcomes[i].empty) manifest.segments.push_back({first + i, written.bytes, written.text_bytes, written.blocks});
  }
  return writer_.commit();
}

bool Updater::take(Work& work) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return over_ || stop_.stop_requested() || !waiting_.empty() || readers_ == 0; });
  if (over_ || stop_.stop_requested() || waiting_.empty()) return false;
  work = std::move(waiting_.front());
  waiting_.pop_front();
  ++readers_;
  return true;
}

void Updater::give_back(Work work, const Result<PassageSources::Position>& next, std::size_t text_bytes) {
  const auto proof = next ? sources_.proof(work.source, next->offset) : Result<std::uint64_t>(0);
  const std::lock_guard lock(mutex_);
  --readers_;
  if (next && next->offset > work.position.offset) {
    ManifestSource& entry = writer_.manifest().sources[work.entry];
    done_.done += next->offset - work.position.offset;
    entry.offset = next->offset;
    entry.line = next->line;
    entry.text_bytes += text_bytes;
    entry.size = work.source.size;
    entry.stamp = work.source.stamp;
    entry.proof = proof.value_or(0);
    work.position = *next;
    if (next->offset < work.source.size) waiting_.push_front(std::move(work));
  } else if (!next && next.error().kind != ErrorKind::not_found) {
    log(LogLevel::warn, "store", "not indexed, left for the next time: " + work.source.key + ": " + next.error().message);
  }
  if (progress_) progress_(done_);
  changed_.notify_all();
}

void Updater::work(SegmentBuilder& builder, const std::string& path, Outcome& outcome) {
  PassageBatch batch;
  Work work;
  while (take(work)) {
    batch.clear();
    const std::uint64_t number = writer_.manifest().sources[work.entry].number;
    const bool rows = work.source.rows;
    const std::uint64_t end = work.position.offset + (rows ? kBatchRows : kBatchBytes);
    const auto next = sources_.read(work.source, work.position, end, [&](const Passage& passage) {
      batch.add(passage);
      return !rows || batch.text_bytes() < kBatchBytes;
    });
    give_back(std::move(work), next, batch.text_bytes());
    if (!next) continue;  // what was read of it is read again
    builder.begin_run(number, rows ? 0 : kBlockTextBytes);
    batch.each([&](const Passage& passage) { builder.add(passage); });
    builder.end_run();
    if (builder.full() || builder.text_bytes() >= writer_.segment_text()) {
      const std::lock_guard lock(mutex_);
      over_ = true;
      changed_.notify_all();
    }
  }
  {
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
  }
  outcome.empty = builder.empty();
  if (!outcome.empty) outcome.written = builder.write(path);
}

}  // namespace holdfast::search
