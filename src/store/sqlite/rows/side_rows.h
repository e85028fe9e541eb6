#pragma once

// The small tables beside sessions and entries: lineage, keyed values, leases, tombstones.

#include "session/store.h"
#include "store/sqlite/db.h"

namespace holdfast::store {

Result<session::LineageEvent> insert_lineage(Db& db, session::LineageEvent event);
Result<std::vector<session::LineageEvent>> lineage_of(Db& db, std::string_view session);

Result<std::optional<session::KeyedValue>> find_value(Db& db, std::string_view space, std::string_view key, Millis now);
Result<std::vector<session::KeyedValue>> list_values(Db& db, const session::ValueQuery& query, Millis now);
Result<std::int64_t> value_rev(Db& db, std::string_view space, std::string_view key, Millis now);  // 0: none, or expired
Result<void> write_value(Db& db, const session::KeyedValue& value);
Result<void> erase_value(Db& db, std::string_view space, std::string_view key);
Result<std::int64_t> purge_values(Db& db, Millis now, std::size_t limit);

Result<std::optional<session::Lease>> find_lease(Db& db, std::string_view name);
Result<void> write_lease(Db& db, const session::Lease& lease);

Result<std::optional<session::Tombstone>> find_tombstone(Db& db, std::string_view id);
Result<void> insert_tombstone(Db& db, const session::Tombstone& tombstone, std::int64_t changed);

}  // namespace holdfast::store
