#include "store/sqlite/store.h"

#include "base/file.h"
#include "base/log.h"
#include "store/sqlite/commit_watch.h"
#include "store/sqlite/read_pool.h"
#include "store/sqlite/schema.h"
#include "store/sqlite/search_rows.h"
#include "store/sqlite/shelves.h"
#include "store/sqlite/tables.h"
#include "store/sqlite/transfer.h"
#include "store/sqlite/verify.h"
#include "store/sqlite/writer.h"
#include "store/tables/half_copied.h"
#include "store/tables/read_store.h"
#include "store/tables/verify.h"

#include <fmt/format.h>

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <thread>

namespace holdfast::store {

using namespace session;  // this file implements that interface

namespace {

// FULL: a commit is on the disk when it returns. The log is folded into the main file every 2,000 pages
// (8 MB): seldom enough that hot pages are written back once for many commits, small enough to read
// quickly after a crash. The cache is small because an idle server should be; see bench/.
constexpr const char* kWriterSettings =
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA secure_delete=ON; PRAGMA cache_size=-2048; "
    "PRAGMA temp_store=MEMORY; PRAGMA wal_autocheckpoint=2000; PRAGMA journal_size_limit=16777216";

// When the index is worth feeding: a search had to read this much itself, or this much was written. Below,
// reading is quicker than starting a thread and committing.
constexpr std::size_t kFeedAfterScan = 256 * 1024;
constexpr std::size_t kFeedAfterBytes = 4 * 1024 * 1024;

// While another process makes the same store, SQLite says "busy" to a change of the journal's mode without asking the busy
// handler.
Result<void> apply_settings(Db& db, std::chrono::milliseconds patience) {
  constexpr std::chrono::milliseconds kPause{2};
  const auto until = std::chrono::steady_clock::now() + patience;
  while (true) {
    auto applied = db.script(kWriterSettings);
    if (applied || applied.error().kind != ErrorKind::unavailable || std::chrono::steady_clock::now() >= until) return applied;
    std::this_thread::sleep_for(kPause);
  }
}

class SqliteStore final : public ReadStore<SqliteStore> {
 public:
  explicit SqliteStore(Context context)
      : context_(std::move(context)), readers_(context_), watch_(context_, readers_), hub_(watch_), index_(context_, readers_) {}

  Result<void> start(std::unique_ptr<Db> db);

  Result<SearchResult> search(const SearchQuery& query) override;
  Result<Verification> verify(std::string_view session) override {
    return readers_.with([&](Db& db) {
      SqliteTables tables(db);
      return verify_session(tables, session);
    });
  }
  Result<Integrity> integrity() override {
    return readers_.with([](Db& db) { return verify_store(db); });
  }
  const std::string& secret() const override { return context_.secret; }
  Result<StoreInfo> info() override;
  Result<std::unique_ptr<Subscription>> subscribe(SubscribeOptions options) override {
    return hub_.subscribe(std::move(options));
  }
  Result<std::vector<Event>> events_after(std::int64_t sequence, std::size_t limit) override {
    return watch_.events_after(sequence, limit);
  }
  Result<std::int64_t> last_sequence() override { return watch_.last_sequence(); }

 protected:
  Result<void> run(const Work& work) override {
    if (writer_ == nullptr) return fail(ErrorKind::refused, context_.read_only_reason);
    return writer_->run(work);
  }

 private:
  friend ReadStore<SqliteStore>;

  template <class Function>
  auto read(Function&& function) -> std::invoke_result_t<Function&, Reads&> {
    return readers_.with([&](Db& db) {
      SqliteTables tables(db, context_.secret, &catalogue_);
      Reads reads(tables, context_);
      return function(reads);
    });
  }

  template <class Function>
  auto read_one(Function&& function) {
    return read(std::forward<Function>(function));  // a moment costs nothing here
  }

  void after_commit(const Writer::Committed& done);

  // The writer's connection is the last to close: only one that may write folds the log into the file.
  Context context_;
  std::unique_ptr<Writer> writer_;  // null when read-only
  ReadPool readers_;
  CommitWatch watch_;
  EventHub hub_;
  TextIndex index_;
  Catalogue catalogue_;
  std::atomic<std::size_t> unindexed_bytes_ = 0;
  std::atomic<bool> words_remain_ = false;  // the index could not forget an erasure yet
};

Result<std::string> read_meta(Db& db, std::string_view name) {
  HF_TRY(auto rows, db.query("SELECT value FROM meta WHERE name = ?", name));
  HF_TRY(const bool found, rows.next());
  if (!found) return fail(ErrorKind::corrupt, fmt::format("the store has lost its {}", name));
  return std::string(rows.text(0));
}

Result<void> SqliteStore::start(std::unique_ptr<Db> db) {
  HF_TRY(const auto import, db->number("SELECT count(*) FROM meta WHERE name = ?", kImportMark));
  if (import.value_or(0) != 0) return fail(half_copied(context_.path));
  HF_TRY(context_.secret, read_meta(*db, "secret"));
  HF_TRY(context_.store_id, read_meta(*db, "store_id"));
  if (!context_.read_only_reason.empty()) return {};
  writer_ = std::make_unique<Writer>(std::move(db), context_, [this](const Writer::Committed& done) { after_commit(done); });
  if (writer_->resume_scrub()) words_remain_ = !index_.forget_erased(kScrubPatience);
  return {};
}

void SqliteStore::after_commit(const Writer::Committed& done) {
  watch_.announce();
  if (done.scrubbed || words_remain_) {
    words_remain_ = !index_.forget_erased(done.scrubbed ? kScrubPatience : std::chrono::milliseconds(0));
  }
  if (unindexed_bytes_.fetch_add(done.text_bytes) + done.text_bytes < kFeedAfterBytes) return;
  unindexed_bytes_ = 0;
  index_.feed_soon();
}

Result<SearchResult> SqliteStore::search(const SearchQuery& query) {
  const std::vector<Segment> segments = query.session.empty() ? index_.segments() : std::vector<Segment>();
  HF_TRY(auto outcome, readers_.with([&](Db& db) { return search_sessions(db, index_, segments, query); }));
  if (outcome.scanned_bytes > kFeedAfterScan && writer_ != nullptr) index_.feed_soon();
  return std::move(outcome.result);
}

Result<StoreInfo> SqliteStore::info() {
  StoreInfo info;
  info.url = "sqlite:" + context_.path;
  info.path = context_.path;
  info.index_bytes = index_.bytes();
  info.read_only = writer_ == nullptr;
  info.read_only_reason = context_.read_only_reason;
  for (const char* suffix : {"", "-wal"}) {
    struct stat status{};
    if (::stat((context_.path + suffix).c_str(), &status) == 0) info.bytes += status.st_size;
  }
  return readers_.with([&](Db& db) -> Result<StoreInfo> {
    HF_TRY(info.schema_version, read_schema_version(db));
    HF_TRY(const auto sessions, db.number("SELECT count(*) FROM sessions"));
    HF_TRY(const auto entries, db.number("SELECT sum(count) FROM tallies"));
    info.sessions = sessions.value_or(0);
    info.entries = entries.value_or(0);
    return info;
  });
}

}  // namespace

Result<std::unique_ptr<Store>> open_sqlite_store(const std::string& path, const OpenOptions& options) {
  Context context;
  context.path = path;
  context.vfs = options.sqlite_vfs;
  context.clock = options.clock ? options.clock : std::make_shared<SystemClock>();
  context.lease_now = options.lease_now ? options.lease_now : lease_time_now;
  context.due = options.due;
  context.meter = options.meter;

  const std::string folder = std::filesystem::path(path).parent_path().string();
  std::unique_ptr<Db> db;
  if (options.read_only) {
    if (::access(path.c_str(), F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR))
      return fail(ErrorKind::not_found, fmt::format("there is no store {}", path));
    context.read_only_reason = "the store was opened for reading only";
    HF_TRY(db, Db::open(path, Db::Mode::read_only, context.vfs));
  } else {
    if (!folder.empty()) HF_CHECK(make_private_folder(folder));
    HF_TRY(db, Db::open(path, Db::Mode::create, context.vfs));
  }
  db->set_patience(options.patience);
  auto version = read_schema_version(*db);
  if (!version) return fail(std::move(version).error().within(path));
  if (*version > kSchemaVersion) {
    context.read_only_reason = fmt::format(
        "{} was written by a newer holdfast (format {}, this one knows {}): it can be read, "
        "not written",
        path, *version, kSchemaVersion);
  } else if (!options.read_only) {
    HF_CHECK(apply_settings(*db, options.patience));
    if (auto migrated = migrate(*db); !migrated) return fail(std::move(migrated).error().within(path));
    if (auto mended = mend_shelves(*db); !mended) {
      // Lists do without them; a store that can be read is not locked out.
      if (mended.error().kind != ErrorKind::corrupt) return fail(std::move(mended).error().within(path));
      log(LogLevel::warn, "store", "sessions cannot be counted anew: " + mended.error().message);
    }
    if (*version == 0) HF_CHECK(sync_folder(folder.empty() ? "." : folder));
  } else if (*version < kSchemaVersion) {
    return fail(ErrorKind::refused, fmt::format("{} has an older format and must be opened for writing once", path),
                "holdfast store verify does that, started by somebody who may write there", std::string(kOlderFormat));
  }
  auto store = std::make_unique<SqliteStore>(std::move(context));
  HF_CHECK(store->start(std::move(db)));
  return store;
}

}  // namespace holdfast::store
