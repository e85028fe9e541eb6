#pragma once

// One question to several providers, and one outcome (§9 consensus).

#include "kinds/threads/flows/step.h"

namespace holdfast::threads {

Result<StepOutcome> consensus(const Workplace& place, const ConsensusRequest& request);

}  // namespace holdfast::threads
