#include "store/sqlite/side_rows.h"

namespace holdfast::store {

using session::Lease;
using session::Tombstone;

Result<std::optional<Lease>> find_lease(Db& db, std::string_view name) {
  HF_TRY(auto rows, db.query("SELECT host, pid, started, token, epoch, renewed_boot, renewed_wall, ttl FROM leases "
                             "WHERE name = ?",
                             name));
  HF_TRY(const bool found, rows.next());
  if (!found) return std::optional<Lease>();
  Lease lease;
  lease.name = name;
  lease.owner = {std::string(rows.text(0)), rows.integer(1), rows.integer(2), std::string(rows.text(3))};
  lease.epoch = rows.integer(4);
  lease.renewed = {rows.integer(5), rows.integer(6)};
  lease.ttl = rows.integer(7);
  return lease;
}

Result<void> write_lease(Db& db, const Lease& lease) {
  return db.run("INSERT OR REPLACE INTO leases VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)", lease.name, lease.owner.host, lease.owner.pid,
                lease.owner.started, lease.owner.token, lease.epoch, lease.renewed.boot, lease.renewed.wall, lease.ttl);
}

Result<std::optional<Tombstone>> find_tombstone(Db& db, std::string_view id) {
  HF_TRY(auto rows, db.query("SELECT kind, principal, deleted_at, purged_at, reason FROM tombstones WHERE id = ?", id));
  HF_TRY(const bool found, rows.next());
  if (!found) return std::optional<Tombstone>();
  return Tombstone{std::string(id),          std::string(rows.text(0)), std::string(rows.text(1)),
                   rows.optional_integer(2), rows.integer(3),           std::string(rows.text(4))};
}

Result<void> insert_tombstone(Db& db, const Tombstone& tombstone, std::int64_t changed) {
  return db.run("INSERT INTO tombstones VALUES(?, ?, ?, ?, ?, ?, ?)", tombstone.id, tombstone.kind, tombstone.principal,
                tombstone.deleted_at, tombstone.purged_at, tombstone.reason, changed);
}

}  // namespace holdfast::store
