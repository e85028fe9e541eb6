#pragma once

// Finds a session by what a person or a model types: its id, or a prefix that fits only one (design 8.20).
// Only sessions of the given principal exist for it; those of others are neither found nor counted.

#include "session/store.h"

namespace holdfast::session {

// A shorter prefix would match by accident as soon as there are a few sessions.
inline constexpr std::size_t kMinPrefixBytes = 4;

// What can begin an id: enough letters, digits, - and _. Errors: invalid, in the words of every surface.
Result<void> check_start_of_id(std::string_view text);

// The session of exactly this id; nullopt: there is none for this principal. Errors: not_found with code "gone", when it was
// purged.
Result<std::optional<SessionRecord>> session_of_id(Reader& reader, std::string_view principal, std::string_view id);

// Errors: not_found (code "gone" when it was purged), invalid (no id can begin so), ambiguous, naming the matches.
Result<SessionRecord> find_session(Reader& reader, std::string_view principal, std::string_view id_or_prefix);

}  // namespace holdfast::session
