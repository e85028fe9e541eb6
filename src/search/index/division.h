#pragma once

// What of the sources the index knows, and what is behind that: the first step of every search, the same for all as long as
// neither the index nor a source has changed. Immutable; any thread.

#include "search/index/index_view.h"
#include "search/index/segment/block_set.h"
#include "search/index/text_index.h"

#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace holdfast::search {

// What is read in one go: a block, or the part of a source behind what is indexed.
struct Part {
  const Source* source = nullptr;
  PassageSources::Position from;
  std::uint64_t to = 0;
};

struct Division {
  std::shared_ptr<const IndexView> view;
  SourceList listed;

  std::unordered_map<std::uint64_t, const Source*> alive;  // what is indexed of them counts; by the manifest's number
  std::vector<BlockSet> alive_blocks;                      // theirs, by segment
  std::vector<Part> tails;                                 // not indexed
  std::uint64_t tail_bytes = 0;
  IndexState state;

  // Only those sources; the state stays that of all.
  Division of(const std::function<bool(const Source&)>& admits) const;
};

// Reads a few kilobytes of every source that was written to since it was indexed.
Division divide(std::shared_ptr<const IndexView> view, SourceList listed, PassageSources& sources);

// The last one, as long as it is true.
class LastDivision {
 public:
  // Errors: the sources cannot be listed.
  Result<std::shared_ptr<const Division>> get(std::shared_ptr<const IndexView> view, PassageSources& sources);

 private:
  std::mutex mutex_;
  std::shared_ptr<const Division> last_;
};

}  // namespace holdfast::search
