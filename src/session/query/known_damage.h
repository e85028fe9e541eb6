#pragma once

// Damage of entries, for those who show records (reasoning-sessions D4).
//
// Reading an entry says whether it fits its hash, and a record says whether it fits its checksum; but a record knows nothing of
// its entries. So lists look at the newest entries of what they show, as far as that costs nobody time; and what a reader or
// `verify` has found anywhere stays as a note beside the session. The session itself is not touched: rev and recency stand still.
// A note that cannot be written is no error of the call; `verify` finds the damage again.

#include "session/store.h"

namespace holdfast::session {

// Looked at for one list; some milliseconds.
inline constexpr std::size_t kLookedAtEntries = 1000;  // of all its sessions
inline constexpr std::size_t kLookedAtOfOne = 200;     // of one session, so that a long one leaves something to the others
inline constexpr std::size_t kLookedAtBytes = 4 * 1024 * 1024;  // of all

// nullopt: it was checked and nothing is wrong (any more).
void remember_damage(Store& store, const std::string& session, const std::optional<std::string>& damage);

// Puts what is known into record.damage, unless the record has its own.
void add_known_damage(Reader& reader, SessionRecord& record);

// The same for the records of a list, whose newest entries are looked at, too.
void look_for_damage(Reader& reader, std::vector<SessionRecord>& records);

// In words for a person: which entry, and what is wrong with it. nullopt: nothing is.
std::optional<std::string> damage_among(const std::vector<Entry>& entries);

}  // namespace holdfast::session
