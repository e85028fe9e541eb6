#include "operations/readable_kinds.h"

#include "kinds/documents/workspace/reading.h"
#include "kinds/reasoning/read/read.h"
#include "kinds/research/run/reading.h"
#include "kinds/runner/run_export.h"
#include "kinds/threads/message.h"
#include "session/kinds.h"

namespace holdfast::operations {

const reading::EntryKinds& readable_kinds() {
  static const reading::EntryKinds kinds = {{std::string(session::kReasoning), reasoning::turn_of_entry},
                                            {std::string(session::kThread), threads::turn_of_entry},
                                            {std::string(session::kResearch), research::turn_of_entry},
                                            {std::string(session::kDocument), documents::turn_of_entry},
                                            {std::string(session::kRun), runner::turn_of_entry}};
  return kinds;
}

}  // namespace holdfast::operations
