#pragma once

// Damage that was found once stays visible (reasoning-sessions D4): a list cannot check every entry of every session, so what a
// reader or `verify` has found is kept as a note beside the session, and lists show it. The session itself is not touched: rev
// and recency stand still. A note that cannot be written is no error of the call; `verify` finds the damage again.

#include "session/store.h"

namespace holdfast::tools {

// nullopt: it was checked and nothing is wrong (any more).
void remember_damage(session::Store& store, const std::string& session, const std::optional<std::string>& damage);

// Puts what is known into record.damage, unless the record has its own.
void add_known_damage(session::Reader& reader, session::SessionRecord& record);

}  // namespace holdfast::tools
