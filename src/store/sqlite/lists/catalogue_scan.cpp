#include "store/sqlite/lists/catalogue_scan.h"

#include "base/text/text.h"
#include "store/sqlite/lists/bucket_walk.h"
#include "store/tables/condition.h"

#include <algorithm>
#include <limits>

namespace holdfast::store {

using session::Position;
using session::Query;
using session::Sort;

namespace {

using Bits = std::uint32_t;
static_assert(kMaxLabelGroups == std::numeric_limits<Bits>::digits);

// Which group a label belongs to. A session fits when its labels together have all bits.
class Groups {
 public:
  Groups(const CatalogueColumns& columns, const Query& query) : columns_(columns) {
    if (!query.roots.empty()) add(LabelSort::root, stored_roots(query.roots, query.rootless));
    for (const std::string& tag : query.tags) add(LabelSort::tag, {tag});
    if (query.project) add(LabelSort::project, {*query.project});
    if (query.task) add(LabelSort::task, {*query.task});
    if (query.aspect) add(LabelSort::aspect, {*query.aspect});
    if (!query.aspects.empty()) add(LabelSort::aspect, query.aspects);
  }

  bool empty() const { return all_ == 0; }
  bool fits(Slot slot) const {
    Bits bits = 0;
    for (const Label label : columns_.labels(slot)) {
      bits |= of_label_[label];
      if (bits == all_) return true;
    }
    return false;
  }

 private:
  void add(LabelSort sort, const std::vector<std::string>& any_of) {
    of_label_.resize(columns_.label_count());
    const Bits bit = Bits{1} << count_++;
    all_ |= bit;
    for (const std::string& word : any_of) {
      if (const auto label = columns_.find_label(sort, word)) of_label_[*label] |= bit;
    }
  }

  const CatalogueColumns& columns_;
  std::vector<Bits> of_label_;
  Bits all_ = 0;
  int count_ = 0;
};

struct Times {
  std::int64_t since = std::numeric_limits<std::int64_t>::min();
  std::int64_t before = 0;  // when has_before
  std::int64_t due = 0;     // when has_due
  bool has_before = false;
  bool has_due = false;

  explicit Times(const Query& query)
      : since(query.updated_since.value_or(std::numeric_limits<std::int64_t>::min())),
        before(query.updated_before.value_or(0)),
        due(query.due_before.value_or(0)),
        has_before(query.updated_before.has_value()),
        has_due(query.due_before.has_value()) {}

  bool fit(std::int64_t updated_at, std::int64_t due_key) const {
    return updated_at >= since && (!has_before || updated_at < before) && (!has_due || due_key <= due);
  }
};

// The best places so far, the worst of them on top of a heap.
class Best {
 public:
  Best(const CatalogueColumns& columns, const Query& query, const std::vector<Bucket>& buckets,
       const std::optional<Position>& after)
      : columns_(columns), order_(order_of(query)), after_(after), wanted_(query.offset + query.limit + 1), skip_(query.offset) {
    of_bucket_.resize(buckets.size() + 1);
    for (const Bucket& bucket : buckets)
      of_bucket_[static_cast<std::size_t>(bucket.number)] = bucket_position(query, bucket).keys;
    switch (query.sort) {
      case Sort::updated:
        keys_ = {columns.updated_at()};
        break;
      case Sort::created:
        keys_ = {columns.created_at()};
        break;
      case Sort::due:
        keys_ = {columns.due_key()};
        break;
      case Sort::resume:
        keys_ = {columns.updated_at(), columns.created_at()};
    }
  }

  bool wants_late_ones() const { return order_.descending; }

  void add(Slot slot) {
    if (is_surely_behind(slot)) return;
    Candidate candidate{of_bucket_[columns_.buckets()[slot]], slot};
    for (std::size_t i = 0; i < keys_.size(); ++i) candidate.keys[order_.bucket_keys + i] = keys_[i][slot];
    if (heap_.size() == wanted_ && !before(candidate, heap_.front())) return;
    if (after_ && !is_before(after_->keys, after_->id, candidate.keys, columns_.id(slot))) return;
    const auto by_order = [this](const Candidate& a, const Candidate& b) { return before(a, b); };
    if (heap_.size() == wanted_) {
      std::ranges::pop_heap(heap_, by_order);
      heap_.pop_back();
    }
    heap_.push_back(candidate);
    std::ranges::push_heap(heap_, by_order);
  }

  std::vector<Place> places() && {
    std::ranges::sort_heap(heap_, [this](const Candidate& a, const Candidate& b) { return before(a, b); });
    std::vector<Place> places;
    for (std::size_t i = std::min(skip_, heap_.size()); i < heap_.size(); ++i) {
      const Candidate& each = heap_[i];
      places.push_back({columns_.key(each.slot), {each.keys, std::string(columns_.id(each.slot))}});
    }
    return places;
  }

 private:
  using Keys = decltype(Position::keys);
  struct Candidate {
    Keys keys;
    Slot slot;
  };

  // Most are, in a long list: decided by the one key that all orders without keys of the bucket begin with.
  bool is_surely_behind(Slot slot) const {
    if (heap_.size() < wanted_ || order_.bucket_keys != 0) return false;
    const std::int64_t key = keys_.front()[slot];
    const std::int64_t worst = heap_.front().keys.front();
    return order_.descending ? key < worst : key > worst;
  }
  bool is_before(const Keys& a, std::string_view a_id, const Keys& b, std::string_view b_id) const {
    if (a != b) return order_.descending ? b < a : a < b;
    return order_.descending ? b_id < a_id : a_id < b_id;
  }
  bool before(const Candidate& a, const Candidate& b) const {
    if (a.keys != b.keys) return order_.descending ? b.keys < a.keys : a.keys < b.keys;
    return is_before(a.keys, columns_.id(a.slot), b.keys, columns_.id(b.slot));
  }

  const CatalogueColumns& columns_;
  const Order order_;
  const std::optional<Position>& after_;
  const std::size_t wanted_;
  const std::size_t skip_;
  std::vector<Keys> of_bucket_;  // by number: the keys that are the same for all of a bucket
  std::vector<std::span<const std::int64_t>> keys_;
  std::vector<Candidate> heap_;
};

}  // namespace

bool can_scan(const CatalogueColumns& columns, const Query& query) {
  constexpr std::size_t kOtherGroups = 5;  // roots, project, task, aspect, aspects
  return query.tags.size() + kOtherGroups <= kMaxLabelGroups && (query.text.empty() || columns.has_texts());
}

Found scan(const CatalogueColumns& columns, const Query& query, const std::vector<Bucket>& buckets,
           const std::optional<Position>& after) {
  std::vector<char> wanted(buckets.size() + 1);
  for (const Bucket& bucket : buckets) wanted[static_cast<std::size_t>(bucket.number)] = bucket_fits(bucket, query) ? 1 : 0;
  const Times times(query);
  const Groups groups(columns, query);
  const auto bucket = columns.buckets();
  const auto updated_at = columns.updated_at();
  const auto due_key = columns.due_key();
  std::vector<Slot> fitting;
  fitting.reserve(columns.size());
  for (Slot slot = 0; slot < columns.size(); ++slot) {
    if (wanted[bucket[slot]] == 0 || !times.fit(updated_at[slot], due_key[slot])) continue;
    if (groups.empty() || groups.fits(slot)) fitting.push_back(slot);
  }
  if (const Substring text(fold_case(query.text)); !text.empty()) columns.keep_with_text(text, fitting);
  Best best(columns, query, buckets, after);
  // Slots are in the order of creation. Seen first, those that the order wants first keep the others out of the heap.
  if (best.wants_late_ones()) std::ranges::reverse(fitting);
  for (const Slot slot : fitting) best.add(slot);
  Found found;
  found.total = static_cast<std::int64_t>(fitting.size());
  found.places = std::move(best).places();
  return found;
}

}  // namespace holdfast::store
