#include "store/sqlite/scrub.h"

#include "base/files/fd.h"
#include "base/run/log.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace holdfast::store {

namespace {

// Of the file formats of SQLite (https://www.sqlite.org/fileformat2.html).
constexpr std::size_t kFileHeader = 100;
constexpr std::size_t kLogHeader = 32;
constexpr std::size_t kFrameHeader = 24;

// Pages that are not of a tree begin with the number of another page. Below this many pages its first byte is never one of
// those that tell the kinds of trees.
constexpr std::uint32_t kMaxPages = 0x02000000;

// How much of the file is read at a time.
constexpr std::size_t kScrubBytes = 1024 * 1024;

// Others that write in between make us begin again; somebody always writes only if something is wrong.
constexpr int kMaxScrubAttempts = 5;

std::uint32_t big_endian(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = at; i < at + size; ++i) value = value << 8 | static_cast<std::uint8_t>(bytes[i]);
  return value;
}

bool all_zero(std::string_view bytes) {
  return std::ranges::all_of(bytes, [](char byte) { return byte == '\0'; });
}

}  // namespace

UnusedBytes unused_bytes(std::string_view page, std::size_t usable_size, bool first_page) {
  const std::size_t header = first_page ? kFileHeader : 0;
  const int type = page[header];
  const bool interior = type == 2 || type == 5;
  if (!interior && type != 10 && type != 13) return {};
  const std::size_t cells = big_endian(page, header + 3, 2);
  const std::size_t first = header + (interior ? 12 : 8) + 2 * cells;
  std::size_t last = big_endian(page, header + 5, 2);
  if (last == 0) last = 65536;
  if (first > last || last > usable_size) return {};
  return {first, last};
}

Result<void> Scrubber::mark_due() {
  return db_.run("INSERT OR REPLACE INTO meta VALUES('scrub', x'')");
}

Result<bool> Scrubber::is_due() {
  HF_TRY(const auto due, db_.number("SELECT 1 FROM meta WHERE name = 'scrub'"));
  return due.has_value();
}

Result<bool> Scrubber::finish(std::chrono::milliseconds patience) {
  const auto usual = db_.patience();
  db_.set_patience(patience);
  Result<Outcome> outcome = Outcome::overtaken;
  for (int i = 0; i < kMaxScrubAttempts && outcome && *outcome == Outcome::overtaken; ++i) outcome = try_once();
  if (db_.in_transaction()) static_cast<void>(db_.run("ROLLBACK"));
  db_.set_patience(usual);
  if (!outcome || *outcome != Outcome::done) last_salt_.reset();
  if (!outcome && outcome.error().kind == ErrorKind::unavailable) return false;
  if (!outcome) return fail(std::move(outcome).error());
  return *outcome == Outcome::done;
}

Result<Scrubber::Outcome> Scrubber::try_once() {
  HF_TRY(const auto version, db_.number("PRAGMA data_version"));
  HF_TRY(const auto log, read_log());
  HF_TRY(const auto busy, db_.number("PRAGMA wal_checkpoint(TRUNCATE)"));
  if (busy.value_or(1) != 0) return Outcome::held_up;

  // From here on nobody writes; while the log is empty the file is all there is, and nobody looks at unused bytes.
  HF_CHECK(db_.run("BEGIN IMMEDIATE"));
  HF_TRY(const auto later_log, read_log());
  if (later_log) {
    HF_CHECK(db_.run("ROLLBACK"));
    return Outcome::overtaken;
  }
  HF_TRY(const auto later_version, db_.number("PRAGMA data_version"));
  const bool complete = log && last_salt_ && log->salt == *last_salt_ + 1 && version == later_version;
  HF_CHECK(clean(complete ? &log->pages : nullptr));

  // Pages that connections remember have the old bytes and would bring them back when they are written the next time. Ours
  // forgets them here, the others when they see the commit.
  HF_CHECK(db_.run("PRAGMA shrink_memory"));
  HF_CHECK(db_.run("DELETE FROM meta WHERE name = 'scrub'"));
  HF_CHECK(db_.run("COMMIT"));
  last_salt_ = log ? std::optional(log->salt) : std::nullopt;
  return Outcome::done;
}

Result<std::optional<Scrubber::Log>> Scrubber::read_log() const {
  const Fd file(::open(log_path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) {
    if (errno == ENOENT) return std::nullopt;
    return fail(system_error("opening " + log_path_, errno));
  }
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) return fail(system_error("reading " + log_path_, errno));
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return std::nullopt;
  std::string header(kLogHeader, '\0');
  const auto read_at = [&](std::size_t offset, std::string& into) {
    return ::pread(file.get(), into.data(), into.size(), static_cast<off_t>(offset)) == static_cast<ssize_t>(into.size());
  };
  Log log;
  if (!read_at(0, header)) return log;
  const std::size_t page_size = big_endian(header, 8, 4);
  log.salt = big_endian(header, 16, 4);
  std::string number(4, '\0');
  for (std::size_t at = kLogHeader; at + kFrameHeader + page_size <= size; at += kFrameHeader + page_size) {
    if (!read_at(at, number)) return fail(system_error("reading " + log_path_, errno));
    log.pages.insert(big_endian(number, 0, 4));
  }
  return log;
}

Result<void> Scrubber::clean(const std::set<std::uint32_t>* pages) {
  HF_TRY(const auto size, db_.number("PRAGMA page_size"));
  HF_TRY(const auto count, db_.number("PRAGMA page_count"));
  page_size_ = static_cast<std::uint32_t>(size.value_or(0));
  const auto last = static_cast<std::uint32_t>(count.value_or(0));
  if (page_size_ < 512 || last == 0) return fail(ErrorKind::corrupt, "the store has no pages");
  if (last >= kMaxPages) {
    log(LogLevel::warn, "store", "the store is too large for its unused bytes to be cleaned");
    return {};
  }
  HF_TRY(const std::string header, db_.read_file(0, kFileHeader));
  usable_size_ = page_size_ - static_cast<std::uint8_t>(header[20]);
  wrote_ = false;
  if (pages != nullptr) {
    for (const std::uint32_t number : *pages) {
      if (number < 1 || number > last) continue;
      HF_TRY(const std::string page, db_.read_file((number - 1) * std::int64_t{page_size_}, page_size_));
      HF_CHECK(clean_page(page, number));
    }
  } else {
    const std::uint32_t step = std::max<std::uint32_t>(1, kScrubBytes / page_size_);
    for (std::uint32_t first = 1; first <= last; first += step) {
      const std::uint32_t here = std::min(step, last - first + 1);
      HF_TRY(const std::string bytes, db_.read_file((first - 1) * std::int64_t{page_size_}, std::size_t{here} * page_size_));
      for (std::uint32_t i = 0; i < here; ++i) {
        HF_CHECK(clean_page(std::string_view(bytes).substr(std::size_t{i} * page_size_, page_size_), first + i));
      }
    }
  }
  if (wrote_) HF_CHECK(db_.sync_file());
  return {};
}

Result<void> Scrubber::clean_page(std::string_view page, std::uint32_t number) {
  const UnusedBytes unused = unused_bytes(page, usable_size_, number == 1);
  const std::string_view bytes = page.substr(unused.first, unused.last - unused.first);
  if (all_zero(bytes)) return {};
  wrote_ = true;
  const std::int64_t offset = (number - 1) * std::int64_t{page_size_} + static_cast<std::int64_t>(unused.first);
  return db_.write_file(offset, std::string(bytes.size(), '\0'));
}

}  // namespace holdfast::store
