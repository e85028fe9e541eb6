#pragma once

// Whether the paths of an archive can lie on one disk together. Internal to the archive reader.

#include "kinds/transcripts/home/inventory.h"

namespace holdfast::transcripts {

// Corrupt when a file stands where a folder is, or a folder that other files need.
Result<void> check_tree(const Inventory& contents);

}  // namespace holdfast::transcripts
