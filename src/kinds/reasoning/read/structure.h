#pragma once

// The shape of a session without its text (get_structure), and what can be measured about it (analyze).

#include "kinds/reasoning/read/read.h"

namespace holdfast::reasoning {

// {sessionId, totalThoughts, mainChain{length,head,tail}, branches{id:{forks,range,length,status}}, branchCount, revisions,
// revisionCount}
Result<JsonObject> structure_of(session::Reader& reader, const session::SessionRecord& record);

// metadata, structure, quality, audit, and the definition of every metric.
Result<JsonObject> analyse(session::Reader& reader, const session::SessionRecord& record, Millis now);

}  // namespace holdfast::reasoning
