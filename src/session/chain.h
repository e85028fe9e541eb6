#pragma once

// The hash chain over the entries of a session (design 8.19).
//
//   body  = len(text) text len(data) data
//   mac   = HMAC-SHA256(salt, body)                     salt: 16 random bytes per entry
//   h(n)  = SHA-256("holdfast entry 1\n" h(n-1) seq time number len(type) type len(lane) lane
//                   len(author) author len(run) run len(key) key mac)
//   h(0)  = SHA-256("holdfast session 1\n" session id)
//
// Integers are 8 bytes, big-endian; len() is such an integer. Lengths stand in front of every
// string, so no two different entries have the same input. The start is bound to the session id, so
// that entries cannot be carried over to another session. A redacted entry keeps its mac in place of
// its salt: the chain still closes, and nothing can be checked, or guessed, about the old body.

#include "session/entry.h"

namespace holdfast::session {

inline constexpr std::size_t kSaltBytes = 16;

Digest chain_start(std::string_view session_id);
Digest body_mac(std::string_view salt, std::string_view text, std::string_view data);
// entry.hash is not read.
Digest chain_hash(const Digest& previous, const Entry& entry, const Digest& mac);

}  // namespace holdfast::session
