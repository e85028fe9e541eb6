#pragma once

// The indexes of transcripts that are being read, so that only the first page of a session pays for the pass over its file.
//
// Any thread; what it hands out is used under its lock.

#include "base/run/recent.h"
#include "kinds/transcripts/lines/branches.h"

#include <memory>
#include <mutex>
#include <string>

namespace holdfast::transcripts {

struct CachedIndex {
  explicit CachedIndex(LineIndex::Product product) : index(product) {}

  std::mutex mutex;  // of all below
  LineIndex index;
  std::string incarnation;
  LineOrder order;                // of the first `ordered_bytes` of the file
  std::optional<Branch> resumed;  // the way a client would resume, of as much
  std::uint64_t ordered_bytes = 0;
};

class ReadingCache {
 public:
  // An index takes some 30 bytes a line: a handful of the longest sessions stay below 256 MB.
  static constexpr std::size_t kMostIndexes = 8;

  // For the transcript of this name (its path or key, for good); new or as it was left. The caller locks it and brings it up to
  // date.
  std::shared_ptr<CachedIndex> at(const std::string& name, LineIndex::Product product) {
    return indexes_.find_or_make(name, [&] { return std::make_shared<CachedIndex>(product); });
  }
  // A new one, in the place of one that no longer fits its file.
  std::shared_ptr<CachedIndex> anew(const std::string& name, LineIndex::Product product) {
    indexes_.erase(name);
    return at(name, product);
  }

 private:
  Recent<std::string, std::shared_ptr<CachedIndex>> indexes_{kMostIndexes};
};

}  // namespace holdfast::transcripts
