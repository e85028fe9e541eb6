#pragma once

// What a run wrote down, as a person reads it.

#include "reading/entry_reading.h"

namespace holdfast::runner {

// For reading::EntryKinds.
bool turn_of_entry(const session::Entry& entry, const reading::ReadLimits& limits, reading::Turn& turn);

}  // namespace holdfast::runner
