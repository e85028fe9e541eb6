#include "store/sqlite/lists/catalogue.h"

#include "store/sqlite/lists/bucket_walk.h"
#include "store/sqlite/lists/catalogue_scan.h"

#include <algorithm>

namespace holdfast::store {

using session::Position;
using session::Query;

namespace {

// Changes that are read one by one; when there are more, reading all sessions in their order is quicker.
std::int64_t few_changes(std::size_t sessions) {
  constexpr std::int64_t kAlways = 64;
  return kAlways + static_cast<std::int64_t>(sessions / 4);
}

bool by_label(const Query& query) {
  return !query.roots.empty() || !query.tags.empty() || query.project || query.task;
}

bool by_time(const Query& query) {
  return query.updated_since || query.updated_before || query.due_before;
}

// Aspects alone are asked for, and they have buckets of their own.
bool buckets_decide(const Query& query, const std::vector<Bucket>& buckets) {
  if (by_label(query) || by_time(query) || !query.text.empty()) return false;
  return std::ranges::none_of(
      buckets, [&](const Bucket& bucket) { return !bucket.aspect && bucket.sessions > 0 && bucket_fits(bucket, query); });
}

}  // namespace

bool Catalogue::serves(const Query& query) {
  // Without a total, a walk along an index ends with the page.
  const bool by_count = by_time(query) || query.aspect || !query.aspects.empty();
  return by_label(query) || !query.text.empty() || (query.count && by_count);
}

void Catalogue::charge(std::int64_t sessions) {
  const std::lock_guard lock(mutex_);
  charged_ += sessions;
}

Result<std::optional<Found>> Catalogue::find(Db& db, const Query& query, const std::optional<Position>& after) {
  const std::lock_guard lock(mutex_);
  HF_TRY(const auto buckets, read_buckets(db));
  if (!buckets) return std::nullopt;
  if (buckets_decide(query, *buckets)) return std::nullopt;
  auto ready = bring_to_now(db, sum_of(*buckets));
  if (!ready) {
    columns_.reset();
    charged_ = 0;
    // What cannot be read is the tables' own business: they know how to go round damaged pages.
    if (ready.error().kind == ErrorKind::corrupt) return std::nullopt;
    return fail(std::move(ready).error());
  }
  if (!*ready || !can_scan(*columns_, query)) return std::nullopt;
  Found found = scan(*columns_, query, *buckets, after);
  if (!query.count) found.total = session::kNotCounted;
  return found;
}

Result<bool> Catalogue::bring_to_now(Db& db, std::int64_t sessions) {
  if (!columns_ && charged_ < kCatalogueWorth * sessions) return false;
  if (sessions > kMaxCatalogued) {
    columns_.reset();
    return false;
  }
  HF_TRY(const CatalogueStamp now, read_stamp(db));
  if (!columns_) return make(db, now, sessions);
  if (now == stamp_) return true;
  if (now.sequence < stamp_.sequence || now.recounts < stamp_.recounts) return false;
  if (now.recounts == stamp_.recounts && now.sequence - stamp_.sequence <= few_changes(columns_->size())) {
    HF_TRY(const bool updated, update_columns(db, stamp_.sequence, *columns_));
    if (updated) {
      stamp_ = now;
      return true;
    }
  }
  return make(db, now, sessions);
}

Result<bool> Catalogue::make(Db& db, const CatalogueStamp& now, std::int64_t sessions) {
  columns_.reset();  // not both at once
  HF_TRY(columns_, read_columns(db, sessions));
  stamp_ = now;
  charged_ = 0;
  return true;
}

}  // namespace holdfast::store
