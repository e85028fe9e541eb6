#pragma once

// The index as it was at one moment: manifest, mapped segments, and the order in which blocks are looked at. Immutable, shared by
// the searches that began while it was current. Any thread.

#include "search/index/manifest.h"
#include "search/index/segment/segment.h"

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace holdfast::search {

struct IndexView {
  Manifest manifest;
  std::vector<std::shared_ptr<const Segment>> segments;  // in the order of the manifest
  std::unordered_map<std::string_view, const ManifestSource*> by_key;
  struct Place {
    std::uint32_t segment = 0, block = 0;
  };
  struct Order {
    std::vector<Place> newest_first;
    std::vector<std::size_t> first_places;  // there, of the segments that have blocks, ascending
  };
  // Made when it is first asked for.
  const Order& order() const;

  // Opens every segment, taking over those of `before`. not_found, corrupt: a segment is missing or damaged.
  static Result<std::shared_ptr<const IndexView>> load(const std::string& folder, Manifest manifest, const IndexView* before);
  static std::shared_ptr<const IndexView> empty();

 private:
  mutable std::once_flag ordered_;
  mutable Order order_;
};

// The newest view of a folder; looks at the manifest's stamp before each search. Any thread.
class CurrentView {
 public:
  explicit CurrentView(std::string folder) : folder_(std::move(folder)), view_(IndexView::empty()) {}
  // An index that cannot be read is as good as none: the search scans, the next update builds it anew.
  std::shared_ptr<const IndexView> get();

 private:
  const std::string folder_;
  std::mutex mutex_;
  std::shared_ptr<const IndexView> view_;
  std::string stamp_;
};

}  // namespace holdfast::search
