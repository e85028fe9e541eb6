#include "store/sqlite/schema.h"

#include "base/crypto/hash.h"
#include "store/sqlite/lists/buckets.h"

#include <fmt/format.h>

#include <array>

namespace holdfast::store {

namespace {

// Two things decide the layout. An append should touch few pages, because every page touched is
// written to the log before the caller is answered: so the large texts of a record live apart from the
// row that every append changes, and `changed` is moved by record changes alone. And nothing may be
// derived from what it is not: `roots` and `tags` repeat the record for looking up, and are rewritten
// with it.
constexpr const char* kVersion1 = R"sql(
CREATE TABLE meta(
  name TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions(
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  title TEXT NOT NULL,
  root_uri TEXT NOT NULL,
  root_name TEXT NOT NULL,
  linked_roots TEXT NOT NULL,
  project TEXT NOT NULL,
  task TEXT NOT NULL,
  aspect TEXT NOT NULL,
  domain TEXT NOT NULL,
  tags TEXT NOT NULL,
  status TEXT NOT NULL,
  visibility INTEGER NOT NULL,
  prior_status TEXT NOT NULL,
  prior_visibility INTEGER NOT NULL,
  pinned INTEGER NOT NULL,
  principal TEXT NOT NULL,
  client TEXT NOT NULL,
  rev INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  last_activity_at INTEGER NOT NULL,
  last_accessed_at INTEGER NOT NULL,
  archived_at INTEGER,
  deleted_at INTEGER,
  completed_at INTEGER,
  retention_anchor_at INTEGER,
  due_at INTEGER,
  changed INTEGER NOT NULL,
  entries INTEGER NOT NULL,
  head BLOB NOT NULL,
  checksum BLOB NOT NULL
) STRICT;
CREATE INDEX sessions_changed ON sessions(changed);

CREATE TABLE session_texts(
  session INTEGER PRIMARY KEY,
  description TEXT NOT NULL,
  opening TEXT NOT NULL,
  folded TEXT NOT NULL,
  data TEXT NOT NULL,
  checksum BLOB NOT NULL
) STRICT;

CREATE TABLE roots(
  root TEXT NOT NULL,
  session INTEGER NOT NULL,
  PRIMARY KEY(root, session)
) STRICT, WITHOUT ROWID;
CREATE INDEX roots_session ON roots(session);

CREATE TABLE tags(
  tag TEXT NOT NULL,
  session INTEGER NOT NULL,
  PRIMARY KEY(tag, session)
) STRICT, WITHOUT ROWID;
CREATE INDEX tags_session ON tags(session);

CREATE TABLE entries(
  sequence INTEGER PRIMARY KEY,
  session INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  type TEXT NOT NULL,
  lane TEXT NOT NULL,
  number INTEGER NOT NULL,
  time INTEGER NOT NULL,
  author TEXT NOT NULL,
  run TEXT NOT NULL,
  key TEXT,
  previous BLOB NOT NULL,
  hash BLOB NOT NULL,
  salt BLOB,
  mac BLOB,
  data BLOB NOT NULL,
  text BLOB NOT NULL,
  UNIQUE(session, seq)
) STRICT;
CREATE UNIQUE INDEX entries_number ON entries(session, lane, number) WHERE number > 0;
CREATE UNIQUE INDEX entries_key ON entries(session, key) WHERE key IS NOT NULL;

CREATE TABLE tallies(
  session INTEGER NOT NULL,
  lane TEXT NOT NULL,
  type TEXT NOT NULL,
  count INTEGER NOT NULL,
  highest_number INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  last_time INTEGER NOT NULL,
  PRIMARY KEY(session, lane, type)
) STRICT, WITHOUT ROWID;

CREATE TABLE tombstones(
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  principal TEXT NOT NULL,
  deleted_at INTEGER,
  purged_at INTEGER NOT NULL,
  reason TEXT NOT NULL,
  changed INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX tombstones_changed ON tombstones(changed);

CREATE TABLE erasures(
  sequence INTEGER PRIMARY KEY,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL
) STRICT;

CREATE TABLE lineage(
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  child TEXT NOT NULL,
  parent TEXT NOT NULL,
  how TEXT NOT NULL,
  time INTEGER NOT NULL,
  details TEXT NOT NULL
) STRICT;
CREATE INDEX lineage_child ON lineage(child);
CREATE INDEX lineage_parent ON lineage(parent);

CREATE TABLE keyed(
  space TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  rev INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  expires_at INTEGER,
  PRIMARY KEY(space, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX keyed_expiry ON keyed(expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE leases(
  name TEXT PRIMARY KEY,
  host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  started INTEGER NOT NULL,
  token TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  renewed_boot INTEGER NOT NULL,
  renewed_wall INTEGER NOT NULL,
  ttl INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
)sql";

// Lists of many sessions (buckets.h): the indexes for the orders begin with the bucket, and `roots` repeats it, so that
// the sessions of a root can be counted without looking at them. due_key is due_at with those that have none last; as an
// expression it could not bound a range together with the id. The tables are filled between the two halves.
constexpr const char* kVersion2Tables = R"sql(
ALTER TABLE sessions ADD COLUMN shelf INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN due_key INTEGER NOT NULL AS (ifnull(due_at, 9223372036854775807)) VIRTUAL;

CREATE TABLE shelves(
  number INTEGER PRIMARY KEY,
  principal TEXT NOT NULL,
  kind TEXT NOT NULL,
  visibility INTEGER NOT NULL,
  status TEXT NOT NULL,
  pinned INTEGER NOT NULL,
  aspect TEXT,
  sessions INTEGER NOT NULL,
  checksum BLOB NOT NULL
) STRICT;
CREATE INDEX shelves_fields ON shelves(principal, kind, visibility, status, pinned);

DROP TABLE roots;
CREATE TABLE roots(
  root TEXT NOT NULL,
  shelf INTEGER NOT NULL,
  session INTEGER NOT NULL,
  PRIMARY KEY(root, shelf, session)
) STRICT, WITHOUT ROWID;
CREATE INDEX roots_session ON roots(session);
)sql";
constexpr const char* kVersion2Indexes = R"sql(
CREATE INDEX sessions_updated ON sessions(shelf, updated_at, id);
CREATE INDEX sessions_created ON sessions(shelf, created_at, id);
CREATE INDEX sessions_due ON sessions(shelf, due_key, id);
)sql";

// The index has words of records, too: an erasure names the session whose former titles have to go. Key 0 is no session's.
constexpr const char* kVersion3 = "ALTER TABLE erasures ADD COLUMN session INTEGER NOT NULL DEFAULT 0";

Result<void> make_version_1(Db& db) {
  return db.script(kVersion1);
}

Result<void> make_version_2(Db& db) {
  HF_CHECK(db.script(kVersion2Tables));
  HF_CHECK(rebuild_buckets(db));
  return db.script(kVersion2Indexes);
}

Result<void> make_version_3(Db& db) {
  return db.script(kVersion3);
}

using Migration = Result<void> (*)(Db&);
constexpr std::array<Migration, kSchemaVersion> kSteps = {make_version_1, make_version_2, make_version_3};

// Random bytes that a store is made with, and what depends on them.
struct Identity {
  std::string_view name;
  std::size_t size;
  std::string_view what_ends;
};
constexpr std::array kIdentity = {
    Identity{"secret", 32, "cursors, confirmations, tokens and addresses that the former one was in are not valid any more"},
    Identity{"store_id", 16, "the text index is made anew, and a store copy that was under way does not go on"}};

Result<void> insert_identity(Db& db, const Identity& identity) {
  const std::string fresh = random_bytes(identity.size);
  return db.run("INSERT INTO meta VALUES(?, ?)", identity.name, Blob{fresh});
}

Result<void> upgrade(Db& db) {
  // Another process may have been quicker while this one waited for the lock.
  HF_TRY(const int version, read_schema_version(db));
  if (version >= kSchemaVersion) return {};
  for (int step = version; step < kSchemaVersion; ++step) HF_CHECK(kSteps[static_cast<std::size_t>(step)](db));
  if (version == 0) {
    for (const Identity& each : kIdentity) HF_CHECK(insert_identity(db, each));
  }
  return db.script(fmt::format("PRAGMA application_id={}; PRAGMA user_version={}", kApplicationId, kSchemaVersion));
}

}  // namespace

Result<int> read_schema_version(Db& db) {
  // In one statement, which sees one state: another process may be making the store right now.
  HF_TRY(auto rows, db.query("SELECT (SELECT user_version FROM pragma_user_version), "
                             "(SELECT application_id FROM pragma_application_id), (SELECT count(*) FROM sqlite_schema)"));
  HF_TRY(const bool found, rows.next());
  const std::int64_t version = found ? rows.integer(0) : 0;
  const std::int64_t application = found ? rows.integer(1) : 0;
  const bool empty = version == 0 && application == 0 && (!found || rows.integer(2) == 0);
  if (!empty && application != kApplicationId) {
    return fail(ErrorKind::corrupt, db.path() + " is a database of another program, not a holdfast store");
  }
  return static_cast<int>(version);
}

Result<std::string> read_meta(Db& db, std::string_view name) {
  auto rows = db.query("SELECT value FROM meta WHERE name = ?", name);
  const auto found = rows ? rows->next() : Result<bool>(fail(rows.error()));
  if (found && *found) return std::string(rows->text(0));
  if (!found && found.error().kind != ErrorKind::corrupt) return fail(found.error());
  return fail(ErrorKind::corrupt, fmt::format("{}: the store has lost its {}: the page that held it is damaged", db.path(), name),
              "holdfast store salvage FROM TO copies all that can be read into a store with a new one; "
              "holdfast store restore FILE puts a backup back");
}

Result<std::vector<std::string>> replace_lost_identity(Db& db) {
  std::vector<std::string> losses;
  for (const Identity& each : kIdentity) {
    HF_TRY(const auto there, db.number("SELECT 1 FROM meta WHERE name = ?", each.name));
    if (there) continue;
    HF_CHECK(insert_identity(db, each));
    losses.push_back(fmt::format("meta: the {0} is lost, and the copy has a new {0}: {1}", each.name, each.what_ends));
  }
  return losses;
}

Result<void> migrate(Db& db) {
  HF_TRY(const int version, read_schema_version(db));
  if (version >= kSchemaVersion) return {};
  return db.write([&] { return upgrade(db); });
}

}  // namespace holdfast::store
