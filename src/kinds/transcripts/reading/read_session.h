#pragma once

// The files of a session from disk, to a Receiver.

#include "kinds/transcripts/lines/pieces.h"
#include "kinds/transcripts/remote/progress.h"

#include <span>

namespace holdfast::transcripts {

// Each file as it is at the moment it is opened (§4.5): complete lines, then what stands behind the last newline as a piece
// without ending. A file that shrank or was replaced while it was read fails with conflict: what the receiver has is a mixture. A
// file other than the main transcript that has gone since the inventory is passed over.
Result<void> read_session(const Home& home, std::span<const Artifact> artifacts, Receiver& receiver,
                          const Progress& progress = {});

}  // namespace holdfast::transcripts
