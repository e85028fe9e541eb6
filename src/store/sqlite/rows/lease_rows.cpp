#include "store/sqlite/rows/side_rows.h"
#include "store/tables/side_row.h"

namespace holdfast::store {

using session::Lease;
using session::Tombstone;

Result<std::optional<Lease>> find_lease(Db& db, std::string_view name) {
  HF_TRY(auto rows, db.query("SELECT host, pid, started, token, epoch, renewed_boot, renewed_wall, ttl FROM leases "
                             "WHERE name = ?",
                             name));
  HF_TRY(const bool found, rows.next());
  if (!found) return std::optional<Lease>();
  return decode_lease(rows, name);
}

Result<void> write_lease(Db& db, const Lease& lease) {
  return db.run("INSERT OR REPLACE INTO leases VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)", lease.name, lease.owner.host, lease.owner.pid,
                lease.owner.started, lease.owner.token, lease.epoch, lease.renewed.boot, lease.renewed.wall, lease.ttl);
}

Result<std::optional<Tombstone>> find_tombstone(Db& db, std::string_view id) {
  HF_TRY(auto rows, db.query("SELECT kind, principal, deleted_at, purged_at, reason FROM tombstones WHERE id = ?", id));
  HF_TRY(const bool found, rows.next());
  if (!found) return std::optional<Tombstone>();
  return decode_tombstone(rows, id);
}

Result<void> insert_tombstone(Db& db, const Tombstone& tombstone, std::int64_t changed) {
  return db.run("INSERT INTO tombstones VALUES(?, ?, ?, ?, ?, ?, ?)", tombstone.id, tombstone.kind, tombstone.principal,
                tombstone.deleted_at, tombstone.purged_at, tombstone.reason, changed);
}

}  // namespace holdfast::store
