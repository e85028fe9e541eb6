#pragma once

// What happened to documents, as a person reads it.

#include "reading/entry_reading.h"

namespace holdfast::documents {

// For reading::EntryKinds.
bool turn_of_entry(const session::Entry& entry, const reading::ReadLimits& limits, reading::Turn& turn);

}  // namespace holdfast::documents
