#include "store/sqlite/search/store_index.h"

#include "base/files/file.h"
#include "base/run/log.h"
#include "search/index/open.h"
#include "session/query/search.h"
#include "store/tables/event_hub.h"
#include "store/tables/session_row.h"

#include <fmt/format.h>

#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <exception>
#include <filesystem>
#include <unordered_set>

namespace holdfast::store {

namespace {

using search::Passage;
using search::Source;

// A purge waits until the segments that hold rows of the session are written anew; how long each takes was not measured.
constexpr std::uint64_t kSegmentText = 16 << 20;

std::string session_mark(std::int64_t session) {
  return fmt::format("s{}", session);
}

// A redacted entry has no text of its own. The session, the number and what is said there come first in both.
constexpr std::string_view kEntriesBetween =
    "SELECT session, sequence, text, type, data, time FROM entries WHERE sequence BETWEEN ? AND ? AND salt IS NOT NULL "
    "ORDER BY sequence";
constexpr std::string_view kRecordsBetween =
    "SELECT s.key, s.changed, s.title, t.description, s.tags FROM sessions AS s JOIN session_texts AS t ON t.session = s.key "
    "WHERE s.changed BETWEEN ? AND ? ORDER BY s.changed";

Result<std::int64_t> read_newest_erasure(Db& db) {
  HF_TRY(const auto newest, db.number("SELECT max(sequence) FROM erasures"));
  return newest.value_or(0);
}

class StorePassages final : public search::PassageSources {
 public:
  // In the transaction of `db`.
  StorePassages(const Context& context, ReadPool& readers, Db& db) : context_(context), readers_(readers), db_(&db) {}
  // Each time what there is then. Somebody who has erased something since the list was made waits for the feeder: `halt` is told.
  StorePassages(const Context& context, ReadPool& readers, std::stop_source& halt)
      : context_(context), readers_(readers), halt_(&halt) {}

  Result<search::SourceList> list() override {
    if (halt_ != nullptr) {
      HF_TRY(newest_erasure_, with(read_newest_erasure));
    }
    HF_TRY(const std::int64_t last, with([](Db& db) { return read_last_sequence(db); }));
    std::vector<Source> sources(2);
    sources[0].key = kEntryRows;
    sources[1].key = kRecordRows;
    for (Source& source : sources) {
      source.size = static_cast<std::uint64_t>(last) + 1;
      source.incarnation = context_.store_id;  // a file of another store (a copied folder) is as good as none
      source.rows = true;
    }
    return std::make_shared<const std::vector<Source>>(std::move(sources));
  }

  Result<Position> read(const Source& source, Position from, std::uint64_t to,
                        const std::function<bool(const Passage&)>& take) override {
    const bool entries = source.key == kEntryRows;
    const std::uint64_t end = std::min(to, source.size);
    return with([&](Db& db) -> Result<Position> {
      if (halt_ != nullptr) {
        HF_TRY(const std::int64_t newest, read_newest_erasure(db));
        if (newest != newest_erasure_) halt_->request_stop();
      }
      HF_TRY(auto rows, db.query(entries ? kEntriesBetween : kRecordsBetween, static_cast<std::int64_t>(from.offset),
                                 static_cast<std::int64_t>(end) - 1));
      while (true) {
        HF_TRY(const bool more, rows.next());
        if (!more) return Position{end, end};
        const std::string session = session_mark(rows.integer(0));
        const std::string_view attribute = session;
        const std::string text = entries ? std::string(rows.text(2)) : searched_text(rows.text(2), rows.text(3), rows.text(4));
        Passage passage;
        passage.line = passage.line_begin = static_cast<std::uint64_t>(rows.integer(1));
        passage.line_end = passage.line_begin + 1;
        passage.role = entries ? session::role_of_entry(rows.text(3), rows.text(4)) : search::PassageRole::title;
        if (entries) passage.time = rows.integer(5);  // a record's moves with every entry
        passage.text = text;
        passage.attributes = {&attribute, 1};
        if (!take(passage)) return Position{passage.line_end, passage.line_end};
      }
    });
  }

 private:
  template <class Function>
  auto with(Function&& function) -> std::invoke_result_t<Function&, Db&> {
    return db_ != nullptr ? function(*db_) : readers_.with(function);
  }

  const Context& context_;
  ReadPool& readers_;
  Db* const db_ = nullptr;
  std::stop_source* const halt_ = nullptr;
  std::int64_t newest_erasure_ = 0;
};

// What was erased since `seen`: the sessions that lost text, and what is left of them.
struct Erasures {
  std::int64_t newest = 0, last_sequence = 0;
  std::unordered_set<std::int64_t> sessions;
  std::unordered_set<std::int64_t> left;  // numbers of their entries and records
};

Result<void> add_numbers(Db& db, std::string_view sql, std::int64_t bound, std::unordered_set<std::int64_t>& to) {
  HF_TRY(auto rows, db.query(sql, bound));
  while (true) {
    HF_TRY(const bool more, rows.next());
    if (!more) return {};
    to.insert(rows.integer(0));
  }
}

// nullopt: nothing was seen yet, and only the newest is asked for.
Result<Erasures> read_erasures(Db& db, std::optional<std::int64_t> seen) {
  Erasures erased;
  HF_TRY(const std::int64_t newest, read_newest_erasure(db));
  erased.newest = std::max(seen.value_or(0), newest);
  if (!seen || erased.newest == *seen) return erased;
  HF_TRY(erased.last_sequence, read_last_sequence(db));
  HF_CHECK(add_numbers(db, "SELECT session FROM erasures WHERE sequence > ?", *seen, erased.sessions));
  for (const std::int64_t session : erased.sessions) {
    HF_CHECK(add_numbers(db, "SELECT sequence FROM entries WHERE session = ? AND salt IS NOT NULL", session, erased.left));
    HF_CHECK(add_numbers(db, "SELECT changed FROM sessions WHERE key = ?", session, erased.left));
  }
  return erased;
}

// "<store id> <number>"; nullopt: there is none of this store.
std::optional<std::int64_t> read_mark(const std::string& path, const std::string& store_id) {
  const auto text = read_file(path);
  if (!text || !text->starts_with(store_id + " ")) return std::nullopt;
  std::int64_t number = 0;
  const auto read = std::from_chars(text->data() + store_id.size() + 1, text->data() + text->size(), number);
  if (read.ec != std::errc()) return std::nullopt;
  return number;
}

}  // namespace

StoreIndex::StoreIndex(const Context& context, ReadPool& readers)
    : context_(context),
      readers_(readers),
      folder_(context.path + ".index"),
      index_(*search::open_text_index(folder_, kSegmentText)) {}

Result<std::shared_ptr<const search::Division>> StoreIndex::divide(Db& db) {
  StorePassages passages(context_, readers_, db);
  return index_->divide(passages);
}

void StoreIndex::feed_soon() {
  if (feeding_.exchange(true)) return;
  const std::lock_guard lock(feeder_mutex_);
  try {
    feeder_ = std::jthread([this](const std::stop_token& stop) {
      feed(stop);
      feeding_ = false;
    });
  } catch (const std::exception& problem) {
    feeding_ = false;  // searches read what is not indexed; a later commit tries again
    log(LogLevel::warn, "store", std::string("the index is not fed, there is no thread: ") + problem.what());
  }
}

void StoreIndex::feed(const std::stop_token& stop) {
  remove_former();
  const auto feed_all = [&]() -> Result<void> {
    for (bool again = true;;) {
      // Also at the end: what was read may have been erased meanwhile.
      HF_TRY(const bool forgot, forget_newer({}));
      if ((!again && !forgot) || stop.stop_requested()) return {};
      std::stop_source halt;
      const std::stop_callback told(stop, [&] { halt.request_stop(); });
      StorePassages passages(context_, readers_, halt);
      HF_CHECK(index_->update(passages, {}, halt.get_token()));
      again = halt.stop_requested();
    }
  };
  // A conflict means that another process feeds: it does the same work.
  if (auto done = feed_all(); !done && done.error().kind != ErrorKind::conflict)
    log(LogLevel::warn, "store", "the search index is not fed: " + done.error().message);
}

bool StoreIndex::forget_erased(std::chrono::milliseconds patience) {
  remove_former();
  if (::access(folder_.c_str(), F_OK) != 0) return true;
  const bool was_feeding = feeding_;
  {
    const std::lock_guard lock(feeder_mutex_);
    feeder_.request_stop();
  }
  const auto forgot = forget_newer(patience);
  if (was_feeding) feed_soon();
  if (!forgot) log(LogLevel::warn, "store", "erased words are still in the search index: " + forgot.error().message);
  return forgot.has_value();
}

Result<bool> StoreIndex::forget_newer(std::chrono::milliseconds patience) {
  const std::string path = folder_ + "/erasures";
  const auto seen = read_mark(path, context_.store_id);
  HF_TRY(const Erasures erased, readers_.with([&](Db& db) { return read_erasures(db, seen); }));
  if (seen && erased.newest == *seen) return false;
  if (seen) {
    search::TextIndex::Erased rows;
    for (const std::int64_t session : erased.sessions) rows.attributes.push_back(session_mark(session));
    rows.stays = [&](std::uint64_t from) {
      const auto number = static_cast<std::int64_t>(from);
      return number > erased.last_sequence || erased.left.contains(number);
    };
    HF_CHECK(index_->forget(rows, patience));
  } else {
    HF_CHECK(index_->clear(patience));
  }
  HF_CHECK(replace_file(path, fmt::format("{} {}", context_.store_id, erased.newest)));
  return true;
}

// That of an earlier version was a file.
void StoreIndex::remove_former() const {
  struct stat status{};
  if (::lstat(folder_.c_str(), &status) != 0 || S_ISDIR(status.st_mode)) return;
  for (const char* suffix : {"", "-wal", "-shm"}) static_cast<void>(::unlink((folder_ + suffix).c_str()));
}

std::int64_t StoreIndex::bytes() const {
  std::int64_t bytes = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator file(folder_, error), end; !error && file != end; file.increment(error)) {
    std::error_code gone;
    if (const auto size = file->file_size(gone); !gone) bytes += static_cast<std::int64_t>(size);
  }
  return bytes;
}

}  // namespace holdfast::store
