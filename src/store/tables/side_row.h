#pragma once

// Rows of the small tables beside sessions and entries, the same in every database: lineage, keyed values, leases, tombstones.

#include "session/store.h"
#include "store/tables/columns.h"

namespace holdfast::store {

// number, child, parent, how, time, details. Details that cannot be read do not hide that the event took place.
session::LineageEvent decode_lineage(const Columns& columns);
// key, value, rev, updated_at, expires_at. corrupt when the value cannot be read.
Result<session::KeyedValue> decode_value(const Columns& columns, std::string_view space);
// host, pid, started, token, epoch, renewed_boot, renewed_wall, ttl.
session::Lease decode_lease(const Columns& columns, std::string_view name);
// kind, principal, deleted_at, purged_at, reason.
session::Tombstone decode_tombstone(const Columns& columns, std::string_view id);

}  // namespace holdfast::store
