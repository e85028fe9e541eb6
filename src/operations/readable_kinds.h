#pragma once

// How the entries of each kind are read; where the kinds and the reader meet.

#include "reading/entry_reading.h"

namespace holdfast::operations {

const reading::EntryKinds& readable_kinds();

}  // namespace holdfast::operations
