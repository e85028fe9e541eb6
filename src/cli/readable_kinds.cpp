#include "cli/readable_kinds.h"

#include "documents/reading.h"
#include "reasoning/reading.h"
#include "research/reading.h"
#include "runner/reading.h"
#include "session/kinds.h"
#include "threads/reading.h"

namespace holdfast::cli {

const reading::EntryKinds& readable_kinds() {
  static const reading::EntryKinds kinds = {{std::string(session::kReasoning), reasoning::turn_of_entry},
                                            {std::string(session::kThread), threads::turn_of_entry},
                                            {std::string(session::kResearch), research::turn_of_entry},
                                            {std::string(session::kDocument), documents::turn_of_entry},
                                            {std::string(session::kRun), runner::turn_of_entry}};
  return kinds;
}

}  // namespace holdfast::cli
