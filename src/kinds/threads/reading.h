#pragma once

// A message of a thread as a person reads it.

#include "reading/entry_reading.h"

namespace holdfast::threads {

// For reading::EntryKinds.
bool turn_of_entry(const session::Entry& entry, const reading::ReadLimits& limits, reading::Turn& turn);

}  // namespace holdfast::threads
