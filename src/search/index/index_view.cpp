#include "search/index/index_view.h"

#include "base/run/log.h"

#include <fmt/format.h>

#include <sys/stat.h>

#include <algorithm>

namespace holdfast::search {
namespace {

// A writer may remove segments between our reading the manifest and opening them; each time there is a newer manifest.
constexpr int kAttempts = 8;

std::string stamp_of(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return "none";
  return fmt::format("{}.{}.{}.{}", status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

}  // namespace

std::shared_ptr<const IndexView> IndexView::empty() {
  return std::make_shared<const IndexView>();
}

Result<std::shared_ptr<const IndexView>> IndexView::load(const std::string& folder, Manifest manifest, const IndexView* before) {
  auto view = std::make_shared<IndexView>();
  view->manifest = std::move(manifest);
  for (const ManifestSegment& wanted : view->manifest.segments) {
    std::shared_ptr<const Segment> segment;
    for (std::size_t i = 0; before && i < before->segments.size(); ++i)
      if (before->manifest.segments[i].number == wanted.number) segment = before->segments[i];
    if (!segment) {
      HF_TRY(segment, Segment::open(segment_path(folder, wanted.number), view->manifest.seed));
      if (segment->bytes() != wanted.bytes || segment->block_count() != wanted.blocks)
        return fail(ErrorKind::corrupt, segment_path(folder, wanted.number) + " is not the segment that was written");
    }
    view->segments.push_back(std::move(segment));
  }
  for (const ManifestSource& source : view->manifest.sources) view->by_key.emplace(source.key, &source);
  return std::shared_ptr<const IndexView>(std::move(view));
}

const IndexView::Order& IndexView::order() const {
  std::call_once(ordered_, [this] {
    auto& [newest_first, first_places] = order_;
    for (std::uint32_t segment = 0; segment < segments.size(); ++segment)
      for (std::uint32_t block = 0; block < segments[segment]->block_count(); ++block) newest_first.push_back({segment, block});
    const auto newest = [&](const Place& place) { return segments[place.segment]->block(place.block).newest; };
    std::ranges::sort(newest_first, [&](const Place& a, const Place& b) {
      const std::int64_t left = newest(a), right = newest(b);
      return left != right ? left > right : std::pair(a.segment, a.block) > std::pair(b.segment, b.block);
    });
    std::vector<bool> met(segments.size(), false);
    for (std::size_t i = 0; i < newest_first.size() && first_places.size() < met.size(); ++i) {
      if (met[newest_first[i].segment]) continue;
      met[newest_first[i].segment] = true;
      first_places.push_back(i);
    }
  });
  return order_;
}

std::shared_ptr<const IndexView> CurrentView::get() {
  const std::lock_guard lock(mutex_);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::string stamp = stamp_of(manifest_path(folder_));
    if (stamp == stamp_) return view_;
    auto manifest = read_manifest(folder_);
    if (!manifest || !*manifest) {
      view_ = IndexView::empty();
      stamp_ = std::move(stamp);
      return view_;
    }
    const bool same_index = (*manifest)->seed.first == view_->manifest.seed.first;
    auto loaded = IndexView::load(folder_, *std::move(*manifest), same_index ? view_.get() : nullptr);
    if (loaded) {
      view_ = *std::move(loaded);
      stamp_ = std::move(stamp);
      return view_;
    }
    if (stamp == stamp_of(manifest_path(folder_))) {  // nobody replaced it meanwhile: it is damaged
      log(LogLevel::warn, "store", "the text index is damaged and will be built anew: " + loaded.error().message);
      view_ = IndexView::empty();
      stamp_ = std::move(stamp);
      return view_;
    }
  }
  return IndexView::empty();
}

}  // namespace holdfast::search
