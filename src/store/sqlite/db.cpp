#include "store/sqlite/db.h"

#include "session/store.h"

#include <fmt/format.h>

#include <sqlite3.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <thread>

namespace holdfast::store {

namespace {

// Lists with other filters are other statements. Beyond this many one is dropped and prepared again when needed
// (some 30 microseconds).
constexpr std::size_t kMaxIdleStatements = 80;

// system_error: what the operating system said, 0 when it was not asked.
Error error_of(int code, int system_error, std::string_view text, std::string_view path, std::string_view doing) {
  const auto make = [&](ErrorKind kind, std::string_view what, std::string hint) {
    return make_error(kind, fmt::format("{}: {} ({}: {})", path, what, doing, text), std::move(hint));
  };
  // The statement does not matter when the disk is the reason.
  const auto disk = [&](ErrorKind kind, std::string_view what, std::string hint) {
    return make_error(kind, fmt::format("{}: {} ({})", path, what, text), std::move(hint), std::string(session::kStorageFailed));
  };
  // SQLite says "disk I/O error" and "unable to open" to all of these; what helps differs.
  const int family = code & 0xff;
  if (family == SQLITE_IOERR || family == SQLITE_CANTOPEN) {
    switch (system_error) {
      case ENOSPC:
      case EDQUOT:
        return disk(ErrorKind::io, "the disk is full", "free some space and try again");
      case EFBIG:
        return disk(ErrorKind::io, "the file has reached the largest size this process may write", "raise its limit (ulimit -f)");
      case EROFS:
        return disk(ErrorKind::refused, "the store is read-only: its disk is mounted so", "mount it for writing, and try again");
      case EACCES:
      case EPERM:
        return disk(ErrorKind::refused, "the store may not be written by this user",
                    "look at the owner and mode of the file and its folder");
      case EMFILE:
      case ENFILE:
        return make(ErrorKind::unavailable, "too many open files", "raise the limit (ulimit -n, LimitNOFILE), or try again");
      default:
        break;
    }
  }
  switch (family) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return make(ErrorKind::unavailable, "the store is busy: another process keeps it locked", "try again");
    case SQLITE_FULL:
      return disk(ErrorKind::io, "the disk is full", "free some space and try again");
    case SQLITE_IOERR:
      return disk(ErrorKind::io, "the disk refused to read or write", "the system's log says what is wrong with the disk");
    case SQLITE_CANTOPEN:
      return disk(ErrorKind::io, "the store cannot be opened",
                  "look at the folder it lies in: its mode, and whether its disk is full");
    case SQLITE_NOMEM:
      return make(ErrorKind::unavailable, "out of memory", "try again when there is more");
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return disk(ErrorKind::refused, "the store is read-only",
                  "look at the mode of the file and its folder, and how the disk is mounted");
    case SQLITE_CORRUPT:
      return make(ErrorKind::corrupt, "the store is damaged",
                  "holdfast store verify says where; holdfast store salvage copies all that can be read");
    case SQLITE_NOTADB:
      return make(ErrorKind::corrupt, "this is not a holdfast store",
                  "if it was one, its first page is damaged, and only a backup helps: holdfast store restore FILE");
    case SQLITE_TOOBIG:
      return make(ErrorKind::too_large, "a value is too large", {});
    case SQLITE_CONSTRAINT:
      return make(ErrorKind::conflict, "a rule of the store would be broken", {});
    default:
      return make(ErrorKind::internal, "unexpected answer of SQLite", {});
  }
}

// A path as SQLite's URIs have it.
std::string uri_of(std::string_view path, std::string_view query) {
  std::string uri = "file:";
  for (const char c : path) {
    if (c == '%' || c == '?' || c == '#') {
      uri += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    } else {
      uri += c;
    }
  }
  return uri.append("?").append(query);
}

bool has_log(const std::string& path) {
  struct stat status{};
  return ::stat((path + "-wal").c_str(), &status) == 0 && status.st_size > 0;
}

}  // namespace

Rows::~Rows() {
  if (statement_ == nullptr) return;
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
  auto& idle = db_->idle_;
  if (idle.size() >= kMaxIdleStatements) {
    sqlite3_finalize(idle.begin()->second);
    idle.erase(idle.begin());
  }
  auto [place, inserted] = idle.try_emplace(sqlite3_sql(statement_), statement_);
  if (!inserted) sqlite3_finalize(statement_);  // the same text was in use twice at once
}

Result<bool> Rows::next() {
  switch (sqlite3_step(statement_)) {
    case SQLITE_ROW:
      return true;
    case SQLITE_DONE:
      return false;
    default:
      return fail(db_->error(sqlite3_sql(statement_)));
  }
}

std::int64_t Rows::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

std::string_view Rows::text(int column) const {
  const void* bytes = sqlite3_column_blob(statement_, column);
  if (bytes == nullptr) return {};
  return {static_cast<const char*>(bytes), static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

bool Rows::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

// Binding fails only when memory is out or an index is wrong; the step that follows reports both.
void Rows::bind(int index, const SqlValue& value) {
  // An empty view may have no address at all, which SQLite would take for NULL.
  const char* const bytes = value.bytes.empty() ? "" : value.bytes.data();
  if (value.null) {
    sqlite3_bind_null(statement_, index);
  } else if (value.type == SqlValue::Type::integer) {
    sqlite3_bind_int64(statement_, index, value.number);
  } else if (value.type == SqlValue::Type::text) {
    sqlite3_bind_text64(statement_, index, bytes, value.bytes.size(), SQLITE_STATIC, SQLITE_UTF8);
  } else {
    sqlite3_bind_blob64(statement_, index, bytes, value.bytes.size(), SQLITE_STATIC);
  }
}

void Rows::bind_as(int index, const Rows& other, int column) {
  sqlite3_bind_value(statement_, index, sqlite3_column_value(other.statement_, column));
}

Result<std::unique_ptr<Db>> Db::open(const std::string& path, Mode mode, const std::string& vfs) {
  // mknod, not open: closing a second descriptor of the file would drop all locks this process has on it.
  if (mode == Mode::create && ::mknod(path.c_str(), S_IFREG | 0600, 0) != 0 && errno != EEXIST) {
    Error error = system_error("creating " + path, errno);
    error.code = session::kStorageFailed;
    return fail(std::move(error));
  }
  return open_by(path, {path, mode == Mode::read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE, vfs});
}

Result<std::unique_ptr<Db>> Db::open_by(const std::string& path, Way way) {
  std::unique_ptr<Db> db(new Db(path, std::move(way)));
  HF_CHECK(db->open_handle());
  return db;
}

Result<void> Db::open_handle() {
  const int flags = way_.flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  const int code = sqlite3_open_v2(way_.name.c_str(), &handle_, flags, way_.vfs.empty() ? nullptr : way_.vfs.c_str());
  if (code != SQLITE_OK) {
    Error error = error_of(code, sqlite3_system_errno(handle_), sqlite3_errstr(code), path_, "open");
    close_handle();
    return fail(std::move(error));
  }
  sqlite3_busy_handler(handle_, wait_for_others, this);
  return {};
}

Result<std::unique_ptr<Db>> Db::open_to_read(const std::string& path, const std::string& vfs) {
  constexpr std::string_view kLook = "SELECT count(*) FROM sqlite_schema";  // the first statement opens the log and its index
  auto usual = open(path, Mode::read_only, vfs);
  if (!usual) return usual;
  const auto looked = (*usual)->number(kLook);
  if (looked) return usual;
  if (looked.error().kind == ErrorKind::corrupt) {
    // With this, a file that was cut is read as far as it goes.
    if (!(*usual)->script("PRAGMA writable_schema=ON") || !(*usual)->number(kLook)) return fail(looked.error());
    return usual;
  }
  if (looked.error().code != session::kStorageFailed) return fail(looked.error());
  usual->reset();
  // Nothing can be made beside the file. Without a log the file is all there is; with one, its index is kept in our memory, and
  // nobody's locks are looked at: who could write would have made the index.
  auto alone = has_log(path) ? open_by(path, {path, SQLITE_OPEN_READONLY, "unix-none"})
                             : open_by(path, {uri_of(path, "immutable=1"), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, vfs});
  if (!alone) return fail(looked.error());
  (*alone)->alone_ = true;
  // Closing must not fold the log into the file and remove it: without locks it may be somebody else's.
  sqlite3_db_config((*alone)->handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  if (!(*alone)->script("PRAGMA locking_mode=EXCLUSIVE") || !(*alone)->number(kLook)) return fail(looked.error());
  return alone;
}

// SQLite's own busy handler sleeps up to 100 ms at a time, a commit takes a few at most: with several processes
// writing, its waits cost more than the work. This one tries often at first.
int Db::wait_for_others(void* self, int attempts) {
  using std::chrono::microseconds;
  constexpr int kQuickAttempts = 50;
  constexpr microseconds kQuick{200};
  constexpr microseconds kSlow{2000};
  Db& db = *static_cast<Db*>(self);
  const auto now = std::chrono::steady_clock::now();
  if (attempts == 0) db.waiting_since_ = now;
  if (now - db.waiting_since_ >= db.patience_) return 0;
  std::this_thread::sleep_for(attempts < kQuickAttempts ? kQuick : kSlow);
  return 1;
}

Db::~Db() {
  close_handle();
}

void Db::close_handle() {
  for (auto& [sql, statement] : idle_) sqlite3_finalize(statement);
  idle_.clear();
  sqlite3_close(std::exchange(handle_, nullptr));
}

Result<void> Db::reopen() {
  for (auto& [sql, statement] : idle_) sqlite3_finalize(statement);
  idle_.clear();
  sqlite3* const former = std::exchange(handle_, nullptr);
  auto opened = open_handle();  // the log is opened by the first statement
  if (opened) {
    sqlite3_close(former);
  } else {
    handle_ = former;
  }
  return opened;
}

Result<Rows> Db::prepare(std::string_view sql) {
  if (auto found = idle_.find(std::string(sql)); found != idle_.end()) {
    sqlite3_stmt* statement = found->second;
    idle_.erase(found);
    return Rows(*this, statement);
  }
  sqlite3_stmt* statement = nullptr;
  const int size = static_cast<int>(sql.size());
  if (sqlite3_prepare_v3(handle_, sql.data(), size, SQLITE_PREPARE_PERSISTENT, &statement, nullptr) != SQLITE_OK) {
    return fail(error(sql));
  }
  return Rows(*this, statement);
}

Result<void> Db::each(std::string_view sql, const SqlValues& values, const OnRow& on_row) {
  HF_TRY(Rows rows, prepare(sql));
  int index = 0;
  for (const SqlValue& value : values) rows.bind(++index, value);
  while (true) {
    HF_TRY(const bool more, rows.next());
    if (!more) return {};
    HF_TRY(const bool wanted, on_row(rows));
    if (!wanted) return {};
  }
}

Result<void> Db::finish(Rows& rows) {
  while (true) {
    HF_TRY(const bool more, rows.next());
    if (!more) return {};
  }
}

Result<std::optional<std::int64_t>> Db::first_number(Rows& rows) {
  HF_TRY(const bool found, rows.next());
  if (!found) return std::optional<std::int64_t>();
  return rows.optional_integer(0);
}

Result<void> Db::script(const std::string& sql) {
  if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return fail(error(sql.substr(0, 60)));
  return {};
}

Result<void> Db::copy_to(Db& target, const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  constexpr int kPagesAtOnce = 1024;  // 4 MB: some milliseconds
  sqlite3_backup* backup = sqlite3_backup_init(target.handle_, "main", handle_, "main");
  if (backup == nullptr) return fail(target.error("copying"));
  int code = SQLITE_OK;
  while (code == SQLITE_OK) {
    code = sqlite3_backup_step(backup, kPagesAtOnce);
    const auto all = static_cast<std::uint64_t>(sqlite3_backup_pagecount(backup));
    progress(all - static_cast<std::uint64_t>(sqlite3_backup_remaining(backup)), all);
  }
  const int finished = sqlite3_backup_finish(backup);
  if (code == SQLITE_DONE && finished == SQLITE_OK) return {};
  const int failed = finished != SQLITE_OK ? finished : code;
  return fail(error_of(failed, sqlite3_system_errno(target.handle_), sqlite3_errstr(failed), target.path_, "copying"));
}

Result<void> Db::on_file(std::string_view doing, const std::function<int(sqlite3_file*)>& work) {
  sqlite3_file* file = nullptr;
  int code = sqlite3_file_control(handle_, "main", SQLITE_FCNTL_FILE_POINTER, static_cast<void*>(&file));
  if (code == SQLITE_OK && (file == nullptr || file->pMethods == nullptr)) code = SQLITE_IOERR;
  if (code == SQLITE_OK) code = work(file);
  if (code != SQLITE_OK) return fail(error_of(code, 0, sqlite3_errstr(code), path_, doing));
  return {};
}

Result<std::string> Db::read_file(std::int64_t offset, std::size_t size) {
  std::string bytes(size, '\0');
  HF_CHECK(on_file("reading the file", [&](sqlite3_file* file) {
    return file->pMethods->xRead(file, bytes.data(), static_cast<int>(size), offset);
  }));
  return bytes;
}

Result<void> Db::write_file(std::int64_t offset, std::string_view bytes) {
  return on_file("writing the file", [&](sqlite3_file* file) {
    return file->pMethods->xWrite(file, bytes.data(), static_cast<int>(bytes.size()), offset);
  });
}

Result<void> Db::sync_file() {
  return on_file("syncing the file", [](sqlite3_file* file) { return file->pMethods->xSync(file, SQLITE_SYNC_NORMAL); });
}

Result<bool> Db::fill_up() {
  constexpr std::size_t kHeader = 100;
  HF_TRY(const std::string header, read_file(0, kHeader));
  const auto number = [&](std::size_t at, std::size_t size) {
    std::int64_t value = 0;
    for (std::size_t i = at; i < at + size; ++i) value = value << 8 | static_cast<std::uint8_t>(header[i]);
    return value;
  };
  const std::int64_t page = number(16, 2) == 1 ? 65536 : number(16, 2);
  sqlite3_int64 wanted = number(28, 4) * page;
  sqlite3_int64 size = 0;
  HF_CHECK(on_file("looking at the size", [&](sqlite3_file* file) { return file->pMethods->xFileSize(file, &size); }));
  // A header that asks for very much more is damaged itself.
  if (page < 512 || number(24, 4) != number(92, 4) || wanted <= size || wanted / 2 > size) return false;
  // The way that never makes a file shorter, whatever others do meanwhile.
  int step = static_cast<int>(page);
  HF_CHECK(on_file("making the file as long as it was", [&](sqlite3_file* file) {
    file->pMethods->xFileControl(file, SQLITE_FCNTL_CHUNK_SIZE, &step);
    const int code = file->pMethods->xFileControl(file, SQLITE_FCNTL_SIZE_HINT, &wanted);
    step = 0;
    file->pMethods->xFileControl(file, SQLITE_FCNTL_CHUNK_SIZE, &step);
    return code;
  }));
  return true;
}

bool Db::in_transaction() const {
  return sqlite3_get_autocommit(handle_) == 0;
}
std::int64_t Db::changed_rows() const {
  return sqlite3_changes64(handle_);
}
// What the operating system said last. SQLite does not keep it for a commit that failed; the log and the file remember their own.
int Db::last_system_error() const {
  if (const int known = sqlite3_system_errno(handle_); known != 0) return known;
  for (const int which : {SQLITE_FCNTL_JOURNAL_POINTER, SQLITE_FCNTL_FILE_POINTER}) {
    sqlite3_file* file = nullptr;
    int last = 0;
    if (sqlite3_file_control(handle_, "main", which, static_cast<void*>(&file)) == SQLITE_OK && file != nullptr &&
        file->pMethods != nullptr && file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &last) == SQLITE_OK && last != 0)
      return last;
  }
  return 0;
}

Error Db::error(std::string_view doing) const {
  const int code = sqlite3_errcode(handle_);
  const int family = code & 0xff;
  if (family == SQLITE_CORRUPT || family == SQLITE_CONSTRAINT) met_damage_.store(true, std::memory_order_relaxed);
  return error_of(code, family == SQLITE_IOERR ? last_system_error() : sqlite3_system_errno(handle_), sqlite3_errmsg(handle_),
                  path_, doing);
}

}  // namespace holdfast::store
