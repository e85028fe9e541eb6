#include "store/blobs/blob_rows.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::store {
namespace {

constexpr std::size_t kChecksum = 8;  // of SHA-256: the catalogue itself does not notice a changed byte

void put(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

std::optional<std::uint64_t> get(std::string_view& from) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64 && !from.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(from.front());
    from.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7fU} << shift;
    if ((byte & 0x80) == 0) return value;
  }
  return std::nullopt;
}

// Ids follow each other mostly: the difference is small, and may be negative.
std::uint64_t folded(std::int64_t difference) {
  return static_cast<std::uint64_t>(difference) << 1 ^ static_cast<std::uint64_t>(difference >> 63);
}
std::int64_t unfolded(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1 ^ (~(value & 1) + 1));
}

std::string_view checksum_of(std::string_view bytes, Digest& digest) {
  digest = sha256(bytes);
  return bytes_of(digest).substr(0, kChecksum);
}

constexpr int kFormat = 1;
constexpr int kApplication = 0x68666764;  // "hfgd"

// `mark` is the beginning of the hash: an index of eight bytes an entry finds it as well as one of 32.
constexpr const char* kBlobTables = R"sql(
CREATE TABLE numbers(what TEXT PRIMARY KEY, next INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE versions(
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL,
  version INTEGER NOT NULL,
  size INTEGER NOT NULL,
  sha256 BLOB NOT NULL,
  hash_state BLOB NOT NULL,
  mode INTEGER NOT NULL,
  modified_at INTEGER NOT NULL,
  kept_at INTEGER NOT NULL,
  incarnation TEXT NOT NULL,
  UNIQUE(key, version)
) STRICT;
CREATE TABLE segments(
  version INTEGER NOT NULL,
  start INTEGER NOT NULL,
  parts BLOB NOT NULL,
  PRIMARY KEY(version, start)
) STRICT, WITHOUT ROWID;
CREATE TABLE chunks(
  id INTEGER PRIMARY KEY,
  mark INTEGER NOT NULL,
  rest BLOB NOT NULL,
  frame INTEGER NOT NULL,
  start INTEGER NOT NULL,
  size INTEGER NOT NULL,
  look BLOB NOT NULL
) STRICT;
CREATE INDEX chunks_mark ON chunks(mark);
CREATE INDEX chunks_frame ON chunks(frame);
CREATE TABLE sketches(number INTEGER PRIMARY KEY, chunk INTEGER NOT NULL) STRICT;
CREATE TABLE frames(
  id INTEGER PRIMARY KEY,
  pack INTEGER NOT NULL,
  start INTEGER NOT NULL,
  size INTEGER NOT NULL,
  raw_size INTEGER NOT NULL,
  bases BLOB NOT NULL
) STRICT;
CREATE TABLE packs(id INTEGER PRIMARY KEY, size INTEGER NOT NULL, loose INTEGER NOT NULL) STRICT;
INSERT INTO numbers VALUES ('chunk', 1), ('frame', 1), ('pack', 1);
)sql";

// Pages hold what chunks and sketches of some gigabytes need at hand; the log is kept short between commits.
constexpr const char* kSettings =
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA secure_delete=FAST; PRAGMA cache_size=-16384; "
    "PRAGMA temp_store=MEMORY; PRAGMA wal_autocheckpoint=2000; PRAGMA journal_size_limit=16777216";

constexpr std::size_t kMark = 8;

std::int64_t mark_of(const Digest& hash) {
  std::uint64_t mark = 0;
  for (std::size_t i = 0; i < kMark; ++i) mark = mark << 8 | hash[i];
  return static_cast<std::int64_t>(mark);
}

// Columns: id, mark, rest, frame, start, size.
ChunkRow chunk_of(const Columns& rows) {
  ChunkRow row;
  row.id = rows.integer(0);
  const auto mark = static_cast<std::uint64_t>(rows.integer(1));
  for (std::size_t i = 0; i < kMark; ++i) row.hash[i] = static_cast<std::uint8_t>(mark >> (56 - 8 * i));
  const std::string_view rest = rows.text(2).substr(0, row.hash.size() - kMark);
  std::ranges::copy(rest, row.hash.begin() + kMark);
  row.frame = rows.integer(3);
  row.start = static_cast<std::uint32_t>(rows.integer(4));
  row.size = static_cast<std::uint32_t>(rows.integer(5));
  return row;
}

Result<FrameRow> frame_of(const Columns& rows) {
  FrameRow row;
  row.id = rows.integer(0);
  row.pack = rows.integer(1);
  row.start = static_cast<std::uint64_t>(rows.integer(2));
  row.size = static_cast<std::uint32_t>(rows.integer(3));
  row.raw_size = static_cast<std::uint32_t>(rows.integer(4));
  HF_TRY(row.bases, decode_ids(rows.text(5)));
  return row;
}

constexpr std::string_view kVersionColumns =
    "id, key, version, size, sha256, hash_state, mode, modified_at, kept_at, incarnation";

VersionRow version_of(const Columns& rows) {
  VersionRow row;
  row.id = rows.integer(0);
  row.kept.key = rows.text(1);
  row.kept.version = rows.integer(2);
  row.kept.size = static_cast<std::uint64_t>(rows.integer(3));
  const std::string_view hash = rows.text(4);
  row.kept.sha256 = to_hex({reinterpret_cast<const std::uint8_t*>(hash.data()), hash.size()});
  row.hash_state = rows.text(5);
  row.kept.mode = static_cast<unsigned>(rows.integer(6));
  row.kept.modified_at = rows.integer(7);
  row.kept.kept_at = rows.integer(8);
  row.kept.incarnation = rows.text(9);
  return row;
}

std::string from_hex(std::string_view hex) {
  const auto digit = [](char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10); };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(digit(hex[i]) << 4 | digit(hex[i + 1])));
  }
  return bytes;
}

}  // namespace

std::string encode_recipe(const Recipe& recipe) {
  std::string out;
  std::int64_t last = 0;
  for (const RecipePart& part : recipe) {
    put(out, folded(part.chunk - last));
    put(out, part.size);
    last = part.chunk;
  }
  Digest digest;
  out += checksum_of(out, digest);
  return out;
}

Result<Recipe> decode_recipe(std::string_view bytes) {
  const auto damaged = [] { return fail(ErrorKind::corrupt, "a list of chunks is damaged"); };
  if (bytes.size() < kChecksum) return damaged();
  const std::string_view checksum = bytes.substr(bytes.size() - kChecksum);
  bytes.remove_suffix(kChecksum);
  Digest digest;
  if (checksum != checksum_of(bytes, digest)) return damaged();
  Recipe recipe;
  std::int64_t last = 0;
  while (!bytes.empty()) {
    const auto difference = get(bytes);
    const auto size = get(bytes);
    if (!difference || !size || *size > UINT32_MAX) return damaged();
    last += unfolded(*difference);
    recipe.push_back({last, static_cast<std::uint32_t>(*size)});
  }
  return recipe;
}

std::string encode_ids(const std::vector<std::int64_t>& ids) {
  std::string out;
  std::int64_t last = 0;
  for (const std::int64_t id : ids) {
    put(out, folded(id - last));
    last = id;
  }
  return out;
}

Result<std::vector<std::int64_t>> decode_ids(std::string_view bytes) {
  std::vector<std::int64_t> ids;
  std::int64_t last = 0;
  while (!bytes.empty()) {
    const auto difference = get(bytes);
    if (!difference) return fail(ErrorKind::corrupt, "a list of chunks is damaged");
    last += unfolded(*difference);
    ids.push_back(last);
  }
  return ids;
}

Result<std::unique_ptr<Db>> open_blob_catalogue(const std::string& path, Db::Mode mode, const std::string& vfs) {
  HF_TRY(auto db, Db::open(path, mode, vfs));
  HF_CHECK(db->script(kSettings));
  HF_TRY(const auto application, db->number("PRAGMA application_id"));
  HF_TRY(const auto format, db->number("PRAGMA user_version"));
  if (application == 0 && mode == Db::Mode::create) {
    HF_CHECK(db->script(fmt::format("BEGIN IMMEDIATE; {}; PRAGMA application_id={}; PRAGMA user_version={}; COMMIT", kBlobTables,
                                    kApplication, kFormat)));
    return db;
  }
  if (application == 0) return fail(ErrorKind::not_found, path + ": nothing was kept yet");
  if (application != kApplication) return fail(ErrorKind::corrupt, path + ": this is not a catalogue of the guard");
  if (format.value_or(0) > kFormat) {
    return fail(ErrorKind::corrupt, path + ": written by a later version of holdfast", "use that version");
  }
  return db;
}

Result<std::int64_t> next_number(Db& db, std::string_view what) {
  HF_TRY(const auto next, db.number("SELECT next FROM numbers WHERE what = ?", what));
  if (!next) return fail(ErrorKind::corrupt, fmt::format("the catalogue of the guard has lost its count of {}s", what));
  return *next;
}

Result<void> set_next_number(Db& db, std::string_view what, std::int64_t next) {
  return db.run("UPDATE numbers SET next = ? WHERE what = ?", next, what);
}

Result<std::optional<ChunkRow>> chunk_row(Db& db, std::int64_t id) {
  return db.first<ChunkRow>("SELECT id, mark, rest, frame, start, size FROM chunks WHERE id = ?", {id}, chunk_of);
}

Result<std::optional<ChunkRow>> chunk_with_hash(Db& db, const Digest& hash) {
  std::optional<ChunkRow> found;
  HF_CHECK(
      db.each("SELECT id, mark, rest, frame, start, size FROM chunks WHERE mark = ?", {mark_of(hash)}, [&](const Columns& row) {
        found = chunk_of(row);
        if (found->hash != hash) found.reset();
        return !found;
      }));
  return found;
}

Result<std::vector<ChunkRow>> chunks_of_frame(Db& db, std::int64_t frame) {
  return db.all<ChunkRow>("SELECT id, mark, rest, frame, start, size FROM chunks WHERE frame = ? ORDER BY id", {frame}, chunk_of);
}

Result<void> insert_chunk(Db& db, const ChunkRow& row) {
  return db.run("INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, x'')", row.id, mark_of(row.hash),
                Blob{bytes_of(row.hash).substr(kMark)}, row.frame, std::int64_t{row.start}, std::int64_t{row.size});
}

Result<void> place_chunk(Db& db, const ChunkRow& row) {
  return db.run("UPDATE chunks SET frame = ?, start = ? WHERE id = ?", row.frame, std::int64_t{row.start}, row.id);
}

Result<void> insert_sketch(Db& db, const Sketch& sketch, std::int64_t chunk) {
  HF_CHECK(db.run("UPDATE chunks SET look = ? WHERE id = ?", Blob{sketch.look}, chunk));
  for (const std::int64_t number : sketch.numbers) {
    HF_CHECK(db.run("INSERT OR REPLACE INTO sketches VALUES (?, ?)", number, chunk));
  }
  return {};
}

Result<std::optional<std::int64_t>> resembling_chunk(Db& db, const Sketch& sketch) {
  std::optional<std::int64_t> best;
  std::size_t most = kResembles - 1;
  for (const std::int64_t number : sketch.numbers) {
    HF_TRY(Rows rows, db.query("SELECT chunks.id, look FROM sketches JOIN chunks ON chunks.id = sketches.chunk "
                               "WHERE sketches.number = ? AND frame <> 0",
                               number));
    HF_TRY(const bool found, rows.next());
    if (!found) continue;
    const std::size_t same = resemblance(rows.text(1), sketch.look);
    if (same <= most) continue;
    most = same;
    best = rows.integer(0);
  }
  return best;
}

Result<std::optional<FrameRow>> frame_row(Db& db, std::int64_t id) {
  return db.first<FrameRow>("SELECT id, pack, start, size, raw_size, bases FROM frames WHERE id = ?", {id}, frame_of);
}

Result<std::vector<FrameRow>> all_frames(Db& db) {
  return db.all<FrameRow>("SELECT id, pack, start, size, raw_size, bases FROM frames ORDER BY pack, start", {}, frame_of);
}

Result<void> insert_frame(Db& db, const FrameRow& row) {
  const std::string bases = encode_ids(row.bases);
  return db.run("INSERT INTO frames VALUES (?, ?, ?, ?, ?, ?)", row.id, row.pack, static_cast<std::int64_t>(row.start),
                std::int64_t{row.size}, std::int64_t{row.raw_size}, Blob{bases});
}

Result<std::vector<PackRow>> all_packs(Db& db) {
  return db.all<PackRow>("SELECT id, size, loose FROM packs ORDER BY id", {}, [](const Columns& row) {
    return PackRow{row.integer(0), static_cast<std::uint64_t>(row.integer(1)), row.integer(2) != 0};
  });
}

Result<void> put_pack(Db& db, const PackRow& row) {
  return db.run("INSERT OR REPLACE INTO packs VALUES (?, ?, ?)", row.id, static_cast<std::int64_t>(row.size), row.loose);
}

Result<std::vector<VersionRow>> newest_versions(Db& db, std::string_view key_prefix) {
  // Keys that begin so lie between the prefix and the prefix with its last byte one higher; 0xff is no byte of a key in UTF-8,
  // and one that is not is found by the comparison below.
  std::string end(key_prefix);
  end += "\xff\xff";
  return db.all<VersionRow>(fmt::format("SELECT {} FROM versions AS v WHERE key >= ? AND key < ? AND version = "
                                        "(SELECT max(version) FROM versions AS w WHERE w.key = v.key) ORDER BY key",
                                        kVersionColumns),
                            {key_prefix, end}, version_of);
}

Result<std::vector<VersionRow>> versions_of(Db& db, std::string_view key) {
  return db.all<VersionRow>(fmt::format("SELECT {} FROM versions WHERE key = ? ORDER BY version DESC", kVersionColumns), {key},
                            version_of);
}

Result<std::optional<VersionRow>> newest_version(Db& db, std::string_view key) {
  return db.first<VersionRow>(fmt::format("SELECT {} FROM versions WHERE key = ? ORDER BY version DESC LIMIT 1", kVersionColumns),
                              {key}, version_of);
}

Result<std::optional<VersionRow>> find_version(Db& db, std::string_view key, std::int64_t version) {
  return db.first<VersionRow>(fmt::format("SELECT {} FROM versions WHERE key = ? AND version = ?", kVersionColumns),
                              {key, version}, version_of);
}

Result<void> put_version(Db& db, VersionRow& row) {
  const std::string hash = from_hex(row.kept.sha256);
  if (row.id == 0) {
    HF_TRY(const auto last, db.number("SELECT max(id) FROM versions"));
    row.id = last.value_or(0) + 1;
  }
  return db.run("INSERT OR REPLACE INTO versions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row.id, row.kept.key, row.kept.version,
                static_cast<std::int64_t>(row.kept.size), Blob{hash}, Blob{row.hash_state}, static_cast<int>(row.kept.mode),
                row.kept.modified_at, row.kept.kept_at, row.kept.incarnation);
}

Result<void> drop_version(Db& db, std::int64_t id) {
  HF_CHECK(db.run("DELETE FROM segments WHERE version = ?", id));
  return db.run("DELETE FROM versions WHERE id = ?", id);
}

Result<std::optional<RecipeSegment>> segment_at(Db& db, std::int64_t version, std::uint64_t offset) {
  return db.first<RecipeSegment>("SELECT start, parts FROM segments WHERE version = ? AND start <= ? ORDER BY start DESC LIMIT 1",
                                 {version, static_cast<std::int64_t>(offset)}, [](const Columns& row) -> Result<RecipeSegment> {
                                   HF_TRY(auto recipe, decode_recipe(row.text(1)));
                                   return RecipeSegment{static_cast<std::uint64_t>(row.integer(0)), std::move(recipe)};
                                 });
}

Result<void> put_segment(Db& db, std::int64_t version, std::uint64_t start, std::string_view encoded) {
  return db.run("INSERT OR REPLACE INTO segments VALUES (?, ?, ?)", version, static_cast<std::int64_t>(start), Blob{encoded});
}

Result<void> each_segment(Db& db,
                          const std::function<Result<void>(std::int64_t version, std::uint64_t start, Result<Recipe>)>& take) {
  return db.each("SELECT version, start, parts FROM segments ORDER BY version, start", {},
                 [&](const Columns& row) -> Result<bool> {
                   HF_CHECK(take(row.integer(0), static_cast<std::uint64_t>(row.integer(1)), decode_recipe(row.text(2))));
                   return true;
                 });
}

}  // namespace holdfast::store
