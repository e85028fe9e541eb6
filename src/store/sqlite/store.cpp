#include "store/sqlite/store.h"

#include "base/files/file.h"
#include "base/run/log.h"
#include "store/sqlite/commit_watch.h"
#include "store/sqlite/lists/buckets.h"
#include "store/sqlite/mend.h"
#include "store/sqlite/read_pool.h"
#include "store/sqlite/rows/tables.h"
#include "store/sqlite/schema.h"
#include "store/sqlite/search/search_rows.h"
#include "store/sqlite/writer.h"
#include "store/tables/transaction.h"
#include "store/tables/verify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <mutex>
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

// Looking at every page takes seconds in a large store. When that found no tree to be made anew, it is not done again so soon.
constexpr std::chrono::minutes kFruitlessPause{1};

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

// A file that was cut is made as long as it was first, or every statement would fail.
Result<int> version_of(Db& db) {
  auto version = read_schema_version(db);
  if (version || version.error().kind != ErrorKind::corrupt || !db.met_damage()) return version;
  HF_TRY(const bool filled, db.fill_up());
  if (!filled) return version;
  return read_schema_version(db);
}

// Ready for writing: made, or brought up to date. One that a newer version has written is left as it is (context.newer_format).
Result<std::unique_ptr<Db>> open_to_write(Context& context, Db::Mode mode) {
  const std::string folder = std::filesystem::path(context.path).parent_path().string();
  if (mode == Db::Mode::create && !folder.empty()) HF_CHECK(make_private_folder(folder));
  HF_TRY(auto db, Db::open(context.path, mode, context.vfs));
  db->set_patience(context.patience);
  HF_TRY(const int version, version_of(*db));
  if (version > kSchemaVersion) {
    context.newer_format = version;
    return db;
  }
  HF_CHECK(apply_settings(*db, context.patience));
  HF_CHECK(migrate(*db));
  if (auto mended = mend_buckets(*db); !mended) {
    // Lists do without them; a store that can be read is not locked out.
    if (mended.error().kind != ErrorKind::corrupt) return fail(std::move(mended).error());
    log(LogLevel::warn, "store", "sessions cannot be counted anew: " + mended.error().message);
  }
  if (version == 0) HF_CHECK(sync_folder(folder.empty() ? "." : folder));
  return db;
}

Result<std::unique_ptr<Db>> open_store_to_read(Context& context) {
  if (::access(context.path.c_str(), F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR))
    return fail(ErrorKind::not_found, fmt::format("there is no store {}", context.path));
  HF_TRY(auto db, Db::open_to_read(context.path, context.vfs));
  HF_TRY(const int version, read_schema_version(*db));
  if (version > kSchemaVersion) context.newer_format = version;
  if (version < kSchemaVersion)
    return fail(ErrorKind::refused, fmt::format("{} has an older format and must be opened for writing once", context.path),
                "holdfast store verify does that, started by somebody who may write there", std::string(kOlderFormat));
  return db;
}

// The first hundred are shown; pages that belong to nothing must not crowd them out.
constexpr int kMostLines = 1'000'000;

Result<void> run_check(Db& db, std::string_view pragma, Integrity& report) {
  HF_TRY(auto rows, db.query(pragma));
  while (true) {
    auto more = rows.next();
    if (!more) {
      if (more.error().kind != ErrorKind::corrupt) return fail(std::move(more).error());
      add_problem(report.problems, more.error().message);
      return {};
    }
    if (!*more) return {};
    // All that is wrong with the trees comes as one text. Pages that belong to nothing are what mending leaves behind (mend.h).
    for (std::string_view rest = rows.text(0); !rest.empty();) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      if (line != "ok" && !line.starts_with("*** in database") && !line.ends_with("never used"))
        add_problem(report.problems, std::string(line));
    }
  }
}

Result<void> check_counts(Db& db, Integrity& report) {
  auto problems = check_buckets(db);
  if (problems) {
    for (std::string& problem : *problems) add_problem(report.problems, std::move(problem));
  } else if (problems.error().kind == ErrorKind::corrupt) {
    add_problem(report.problems, problems.error().message);
  } else {
    return fail(std::move(problems).error());
  }
  return {};
}

// tables/verify.h, but a session that is in the table and not in the index of ids is corrupt, and not something that is not
// there.
Result<Verification> verify_indexed_session(Db& db, Tables& tables, std::string_view id) {
  auto verified = verify_session(tables, id);
  if (verified || verified.error().kind != ErrorKind::not_found) return verified;
  HF_TRY(const auto row, db.number("SELECT 1 FROM sessions NOT INDEXED WHERE id = ?", id));
  if (!row) return verified;
  return fail(ErrorKind::corrupt, fmt::format("{}: the index of session ids does not know {}", db.path(), id),
              "holdfast store salvage copies all that can be read");
}

// SQLite's own check of the file, the counts that lists show, then every session.
Result<Integrity> verify_store(Db& db) {
  Integrity report;
  // The whole check: the quick one does not compare indexes with their tables.
  HF_CHECK(run_check(db, fmt::format("PRAGMA integrity_check({})", kMostLines), report));
  HF_CHECK(check_counts(db, report));
  HF_TRY(const auto ids, db.all<std::string>("SELECT id FROM sessions ORDER BY id", {},
                                             [](const Columns& row) { return std::string(row.text(0)); }));
  SqliteTables tables(db);
  HF_CHECK(verify_sessions(tables, ids, report));
  HF_TRY(const auto strays, db.number("SELECT count(*) FROM entries WHERE session NOT IN (SELECT key FROM sessions)"));
  if (strays.value_or(0) != 0) add_problem(report.problems, fmt::format("{} entries belong to no session", *strays));
  report.ok = report.damaged.empty() && report.problems.empty();
  return report;
}

class SqliteStore final : public Store {
 public:
  explicit SqliteStore(Context context)
      : context_(std::move(context)),
        readers_(context_),
        watch_(context_, readers_, [this] { look_at_log(); }),
        hub_(watch_),
        index_(context_, readers_) {}

  // `db` may be written to, unless the context says that nothing may; null when its disk refuses that now.
  Result<void> start(std::unique_ptr<Db> db);

  Result<SearchResult> search(const SearchQuery& query) override;
  // What is wrong with a session may be wrong with an index only, which is then made anew.
  Result<Verification> verify(std::string_view session) override {
    return mending([&](bool& met_damage) {
      auto verified = readers_.with(
          [&](Db& db) {
            SqliteTables tables(db);
            return verify_indexed_session(db, tables, session);
          },
          &met_damage);
      met_damage = met_damage || (verified ? !verified->ok : verified.error().kind == ErrorKind::corrupt);
      return verified;
    });
  }
  Result<Integrity> integrity() override {
    return mending([&](bool& met_damage) {
      auto verified = readers_.with([](Db& db) { return verify_store(db); }, &met_damage);
      met_damage = met_damage || (verified && !verified->ok);
      return verified;
    });
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
  Result<void> run(const Work& work) override;
  Result<void> look(Moments /*one moment costs nothing here*/, const Question& question) override {
    return mending([&](bool& met_damage) {
      return readers_.with(
          [&](Db& db) {
            SqliteTables tables(db, context_.secret);
            Reads<Reader> reads(tables, context_);
            return question(reads);
          },
          &met_damage);
    });
  }

 private:
  // `once(met_damage)` does something with the tables. When it comes to a damaged page the trees of the file are mended, if they
  // can be, and it is done again.
  template <class Once>
  auto mending(const Once& once) -> std::invoke_result_t<const Once&, bool&> {
    const int before = mends_;
    bool met_damage = false;
    auto outcome = once(met_damage);
    if (met_damage && mend(before)) outcome = once(met_damage);
    return outcome;
  }

  Result<Writer*> writer();
  void make_writer(std::unique_ptr<Db> db);
  void after_commit(const Writer::Committed& done);
  bool mend(int before);
  Result<void> keep_identity();
  void look_at_log();

  // The writer's connection is the last to close: only one that may write folds the log into the file.
  Context context_;
  std::mutex writer_mutex_;         // making it
  std::unique_ptr<Writer> writer_;  // null when read-only, or when the disk has refused so far
  std::atomic<Writer*> ready_ = nullptr;
  ReadPool readers_;
  CommitWatch watch_;
  EventHub hub_;
  StoreIndex index_;
  std::atomic<std::size_t> unindexed_bytes_ = 0;
  std::atomic<bool> words_remain_ = false;  // the index could not forget an erasure yet
  std::mutex mend_mutex_;
  std::atomic<int> mends_ = 0;                             // how often trees were made anew
  std::chrono::steady_clock::time_point not_again_until_;  // guarded by mend_mutex_: there was no tree to be made anew
};

Result<void> SqliteStore::start(std::unique_ptr<Db> db) {
  const bool writable = db != nullptr;
  if (!writable) {
    HF_TRY(db, Db::open_to_read(context_.path, context_.vfs));
  }
  HF_TRY(context_.secret, read_meta(*db, "secret"));
  HF_TRY(context_.store_id, read_meta(*db, "store_id"));
  HF_TRY(const auto import, db->number("SELECT count(*) FROM meta WHERE name = ?", kImportMark));
  if (import.value_or(0) != 0) return fail(half_copied(context_.path));
  if (context_.read_only_reason.empty() && writable) make_writer(std::move(db));
  return {};
}

void SqliteStore::make_writer(std::unique_ptr<Db> db) {
  writer_ = std::make_unique<Writer>(
      std::move(db), kWriterSettings, context_, [this](const Writer::Committed& done) { after_commit(done); },
      [this] { readers_.renew(); });
  words_remain_ = !index_.forget_erased(writer_->resume_scrub() ? kForgetPatience : std::chrono::milliseconds(0));
  ready_ = writer_.get();
}

// A store whose disk was full or read-only when it was opened is written to as soon as that is over.
Result<Writer*> SqliteStore::writer() {
  if (Writer* const made = ready_) return made;
  if (!context_.read_only_reason.empty()) return fail(ErrorKind::refused, context_.read_only_reason);
  const std::lock_guard lock(writer_mutex_);
  if (!writer_) {
    Context now = context_;
    HF_TRY(auto db, open_to_write(now, Db::Mode::read_write));
    if (now.newer_format != 0) return fail(ErrorKind::refused, context_.path + " was written by a newer holdfast meanwhile");
    make_writer(std::move(db));
  }
  return writer_.get();
}

Result<void> SqliteStore::run(const Work& work) {
  HF_TRY(Writer* const found, writer());
  return mending([&](bool& met_damage) { return found->run(work, met_damage); });
}

// What is lost of `meta` is still known here.
Result<void> SqliteStore::keep_identity() {
  HF_TRY(const auto db, Db::open(context_.path, Db::Mode::read_write, context_.vfs));
  db->set_patience(context_.patience);
  HF_TRY(const auto known, db->number("SELECT count(*) FROM meta WHERE name IN ('secret', 'store_id')"));
  if (known.value_or(0) == 2) return {};
  return db->run("INSERT OR IGNORE INTO meta VALUES('secret', ?), ('store_id', ?)", Blob{context_.secret},
                 Blob{context_.store_id});
}

// Whether there are new trees since `before`. A store that was opened for reading is mended, too: what is in it stays the same.
bool SqliteStore::mend(int before) {
  const std::lock_guard lock(mend_mutex_);
  if (mends_ != before) return true;
  if (context_.newer_format != 0 || std::chrono::steady_clock::now() < not_again_until_) return false;
  auto mended = mend_trees(context_.path, context_.vfs, context_.patience);
  if (mended) {
    if (auto kept = keep_identity(); !kept) mended = fail(std::move(kept).error());
  }
  if (!mended) log(LogLevel::warn, "store", "the damage cannot be mended: " + mended.error().message);
  if (!mended || mended->trees.empty()) not_again_until_ = std::chrono::steady_clock::now() + kFruitlessPause;
  if (!mended) return false;
  if (!mended->trees.empty())
    log(LogLevel::error, "store",
        fmt::format("{} was damaged; made anew from what can be read: {}{}{}", context_.path, fmt::join(mended->trees, ", "),
                    mended->losses.empty() ? "" : "; ", fmt::join(mended->losses, "; ")));
  ++mends_;  // also when nothing was left to do: another process may have been quicker
  return true;
}

// Somebody has removed the log: what is in it must not wait for the next write.
void SqliteStore::look_at_log() {
  if (ready_ == nullptr) return;
  if (auto saved = run([](Transaction&) -> Result<void> { return {}; }); !saved)
    log(LogLevel::error, "store", saved.error().message);
}

void SqliteStore::after_commit(const Writer::Committed& done) {
  watch_.announce();
  if (done.scrubbed || words_remain_) {
    words_remain_ = !index_.forget_erased(done.scrubbed ? kForgetPatience : std::chrono::milliseconds(0));
  }
  if (unindexed_bytes_.fetch_add(done.text_bytes) + done.text_bytes < kFeedAfterBytes) return;
  unindexed_bytes_ = 0;
  index_.feed_soon();
}

Result<SearchResult> SqliteStore::search(const SearchQuery& query) {
  HF_TRY(auto outcome, mending([&](bool& met_damage) {
           return readers_.with([&](Db& db) { return search_sessions(db, index_, query); }, &met_damage);
         }));
  if (outcome.scanned_bytes > kFeedAfterScan && ready_ != nullptr) index_.feed_soon();
  return std::move(outcome.result);
}

Result<StoreInfo> SqliteStore::info() {
  StoreInfo info;
  info.url = "sqlite:" + context_.path;
  info.path = context_.path;
  info.index_bytes = index_.bytes();
  info.read_only = ready_ == nullptr;
  info.read_only_reason = context_.read_only_reason;
  if (info.read_only && info.read_only_reason.empty())
    info.read_only_reason = "its disk refuses writing; the next write tries again";
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
  context.patience = options.patience;

  auto db = options.read_only ? open_store_to_read(context) : open_to_write(context, Db::Mode::create);
  if (!db && !options.read_only && db.error().code == kStorageFailed) {
    // What is there can be read, and writing is tried again with the next write.
    if (auto readable = open_store_to_read(context)) {
      log(LogLevel::warn, "store", "for reading only, for now: " + db.error().message);
      db = std::unique_ptr<Db>();
    }
  }
  if (!db) return fail(std::move(db).error());
  if (context.newer_format != 0) {
    context.read_only_reason = fmt::format(
        "{} was written by a newer holdfast (format {}, this one knows {}): it can be read, not "
        "written",
        path, context.newer_format, kSchemaVersion);
  } else if (options.read_only) {
    context.read_only_reason = "the store was opened for reading only";
  }
  auto store = std::make_unique<SqliteStore>(std::move(context));
  HF_CHECK(store->start(*std::move(db)));
  return store;
}

}  // namespace holdfast::store
