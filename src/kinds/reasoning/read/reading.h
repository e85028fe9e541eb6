#pragma once

// A thought as a person reads it.

#include "reading/entry_reading.h"

namespace holdfast::reasoning {

// For reading::EntryKinds.
bool turn_of_entry(const session::Entry& entry, const reading::ReadLimits& limits, reading::Turn& turn);

}  // namespace holdfast::reasoning
