#pragma once

// Archiving, deleting and bringing back, the same for every kind (threads-and-research §3, §4).
//
// Each function changes a record inside the caller's transaction. A call that asks for the state already held changes nothing
// and says so. A move that does not exist is refused with code INVALID_STATE_TRANSITION (DELETED for a deleted one that would
// have to be restored first) and nothing changes; allowed_moves says what would be possible.
//
// Deleting here is soft and unconditional: whether it may happen is the gate's question (gate.h), purging is erase.h.

#include "session/store.h"

#include <string_view>
#include <vector>

namespace holdfast::session {

struct Moved {
  SessionRecord record;
  bool changed = false;
};

Result<Moved> archive(Transaction& transaction, const SessionRecord& record);
Result<Moved> unarchive(Transaction& transaction, const SessionRecord& record);
// One that is being worked on is ended first (kind_life.h).
Result<Moved> soft_delete(Transaction& transaction, const SessionRecord& record);
Result<Moved> restore(Transaction& transaction, const SessionRecord& record);
Result<Moved> set_pinned(Transaction& transaction, const SessionRecord& record, bool pinned);

// "archive", "unarchive", "delete", "restore", "purge", "pin", "unpin": those that would change it.
std::vector<std::string_view> allowed_moves(const SessionRecord& record);

}  // namespace holdfast::session
