#pragma once

// One action on a board of ideas (§9 ideate).

#include "kinds/threads/flows/step.h"

namespace holdfast::threads {

Result<StepOutcome> ideate(const Workplace& place, const IdeateRequest& request);

}  // namespace holdfast::threads
