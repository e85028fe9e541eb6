#pragma once

// Where in a source of rows something may stand, the last row first: for a store, which reads and verifies its rows by itself
// (text_search.h), within one transaction and in an order of its own.

#include "search/index/division.h"
#include "search/index/query_plan.h"

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace holdfast::search {

// One thread.
class Places {
 public:
  // What `query` asks but for `admits`, in the source of that key.
  Places(std::shared_ptr<const Division> division, std::string_view key, const TextQuery& query);

  struct Range {
    std::uint64_t from = 0, to = 0;
    bool indexed = false;  // a block that may hold it; if not, nobody knows what is there
  };
  // First what is not indexed, then blocks, falling. nullopt: that was all.
  std::optional<Range> next();

 private:
  // Candidates of a segment, asked when all that is left of the others lies before its last block.
  struct Waiting {
    const Segment* segment = nullptr;
    std::uint64_t to = 0;  // no block that is left ends behind it
    bool asked = false;
    std::vector<std::uint32_t> blocks;  // falling from the back
  };
  void ask(Waiting& waiting) const;

  const std::shared_ptr<const Division> division_;
  QueryPlan plan_;
  std::uint64_t source_ = 0;  // the manifest's number
  std::optional<Range> tail_;
  std::vector<Waiting> waiting_;
};

}  // namespace holdfast::search
