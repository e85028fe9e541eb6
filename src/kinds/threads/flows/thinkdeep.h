#pragma once

// One step of an investigation (§9 thinkdeep).

#include "kinds/threads/flows/step.h"

namespace holdfast::threads {

Result<StepOutcome> thinkdeep(const Workplace& place, const ThinkdeepRequest& request);

}  // namespace holdfast::threads
