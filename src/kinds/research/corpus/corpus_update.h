#pragma once

// Brings an index up to date with the files that a walk found.

#include "base/files/fd.h"
#include "kinds/research/corpus/corpus.h"
#include "kinds/research/corpus/corpus_index.h"
#include "kinds/research/corpus/walk.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace holdfast::research {

struct UpdateCalls {
  const std::function<void(std::uint64_t done, std::uint64_t total)>& on_progress;
  const std::function<bool()>& cancelled;
};

struct UpdateOutcome {
  CorpusUpdate counts;
  std::uint64_t indexed_bytes = 0;
  std::vector<LeftOut> left_out;       // of each root
  bool lost_text = false;              // the old index has texts that the documents no longer have
  std::unique_ptr<CorpusIndex> index;  // null when the old one still holds
};

// roots and walked stand beside each other. Errors: cancelled.
Result<UpdateOutcome> update_index(const CorpusIndex& old, const std::vector<Fd>& roots, const std::vector<Walked>& walked,
                                   const UpdateCalls& calls);

}  // namespace holdfast::research
