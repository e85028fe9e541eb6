#pragma once

// Forks that the client made itself: /branch writes into every record of the new session which one it came from
// (claude-code-on-disk §3: forkedFrom). The store knows nothing of them; the files do, as long as they are there.

#include "kinds/transcripts/home/find.h"
#include "reading/reading.h"

namespace holdfast::transcripts {

struct NativeFork {
  std::string child, parent;  // ids
};

// By the first records of the transcript. nullopt: it is none, or cannot be read. Copies of a fork say the same as the fork.
std::optional<std::string> forked_from(const reading::ByteSource& transcript, std::string_view session_id);
// All of a home: looks into the beginning of every transcript.
Result<std::vector<NativeFork>> native_forks(const Home& home);

}  // namespace holdfast::transcripts
