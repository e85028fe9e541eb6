#pragma once

// Finds a session by what a person or a model types: its id, or a prefix that fits only one (design 8.20).
// Only sessions of the given principal exist for it; those of others are neither found nor counted.

#include "session/store.h"

namespace holdfast::session {

// A shorter prefix would match by accident as soon as there are a few sessions.
inline constexpr std::size_t kMinPrefixBytes = 4;

// not_found (code "gone" when it was purged); ambiguous, with the matches in the hint.
Result<SessionRecord> find_session(Reader& reader, std::string_view principal, std::string_view id_or_prefix);

}  // namespace holdfast::session
