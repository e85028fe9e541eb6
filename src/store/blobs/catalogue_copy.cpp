#include "store/blobs/catalogue_copy.h"

#include "base/crypto/hash.h"
#include "base/files/fd.h"
#include "base/files/file.h"
#include "base/files/zstd_block.h"
#include "store/sqlite/changes.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <functional>
#include <vector>

namespace holdfast::store {
namespace {

constexpr std::string_view kNames = ".names", kChanges = ".changes";
constexpr std::string_view kCopyMagic = "hfgc";
constexpr std::size_t kSum = 8;  // of SHA-256 over what is packed
constexpr int kLevel = 3;
constexpr std::uint64_t kAlwaysKept = 4 * 1024 * 1024;  // of changes: below this a new copy is not worth its syncs
constexpr std::uint32_t kMaxChanges = 1U << 30;

// In front of every record of changes; little-endian, as the machines this runs on are.
struct RecordHead {
  std::array<char, 4> magic;
  std::uint32_t size, packed_size;
  std::array<char, kSum> sum;
};
static_assert(sizeof(RecordHead) == 20 && std::endian::native == std::endian::little);

std::string file_of(const std::string& packs, std::int64_t number, std::string_view ending) {
  return fmt::format("{}/{:08}{}", packs, number, ending);
}

std::array<char, kSum> sum_of(std::string_view bytes) {
  const Digest digest = sha256(bytes);
  std::array<char, kSum> sum;
  std::memcpy(sum.data(), digest.data(), kSum);
  return sum;
}

// Numbers of all copies there, the newest first.
std::vector<std::int64_t> copies_in(const std::string& packs) {
  std::vector<std::int64_t> numbers;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(packs, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.ends_with(kNames)) continue;
    std::int64_t number = 0;
    const auto [stop, status] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (status == std::errc() && std::string_view(stop) == kNames) numbers.push_back(number);
  }
  std::ranges::sort(numbers, std::greater());
  return numbers;
}

Result<void> sync_file(const std::string& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file || ::fsync(file.get()) != 0) return fail(system_error("syncing " + path, errno));
  return {};
}

// Those of a file, one behind the other, until one is cut off or damaged; answers how many bytes they take.
Result<std::uint64_t> each_record(const std::string& path, const std::function<Result<void>(std::string_view changes)>& take) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::uint64_t whole = 0;
  if (!file && errno == ENOENT) return whole;
  if (!file) return fail(system_error(path, errno));
  const auto read_all_of = [&](char* to, std::size_t size) {
    std::size_t done = 0;
    while (done < size) {
      const ssize_t got = ::read(file.get(), to + done, size - done);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      done += static_cast<std::size_t>(got);
    }
    return true;
  };
  for (;;) {
    RecordHead head{};
    if (!read_all_of(reinterpret_cast<char*>(&head), sizeof head)) return whole;
    if (std::string_view(head.magic.data(), head.magic.size()) != kCopyMagic || head.size > kMaxChanges ||
        head.packed_size > kMaxChanges)
      return whole;
    std::string packed(head.packed_size, '\0');
    if (!read_all_of(packed.data(), packed.size()) || sum_of(packed) != head.sum) return whole;
    HF_TRY(const std::string changes, zstd_unpack(packed, head.size));
    HF_CHECK(take(changes));
    whole += sizeof head + packed.size();
  }
}

Result<void> check_names(const std::string& path, const std::string& vfs) {
  HF_TRY(auto db, Db::open(path, Db::Mode::read_write, vfs));
  HF_TRY(const auto answer,
         db->first<std::string>("PRAGMA quick_check(1)", {}, [](const Columns& row) { return std::string(row.text(0)); }));
  if (answer != "ok") return fail(ErrorKind::corrupt, path + " is damaged");
  return {};
}

Result<void> rebuild_from(const std::string& packs, std::int64_t number, const std::string& path, const std::string& vfs) {
  std::error_code error;
  std::filesystem::remove(path, error);
  if (!std::filesystem::copy_file(file_of(packs, number, kNames), path, error))
    return fail(system_error("copying " + file_of(packs, number, kNames), error.value()));
  if (::chmod(path.c_str(), 0600) != 0) return fail(system_error(path, errno));
  HF_CHECK(check_names(path, vfs));
  HF_TRY(auto db, Db::open(path, Db::Mode::read_write, vfs));
  HF_CHECK(db->script("PRAGMA journal_mode=DELETE; PRAGMA synchronous=FULL"));
  return db->write([&]() -> Result<void> {
    const auto applied =
        each_record(file_of(packs, number, kChanges), [&](std::string_view changes) { return apply_changes(*db, changes); });
    if (!applied) return fail(applied.error());
    return put_copy_place(*db, {});  // a new one is made: what this one lacks at its end must not be missed
  });
}

}  // namespace

Result<CopyPlace> copy_place(Db& db) {
  HF_TRY(const auto number, db.number("SELECT next FROM numbers WHERE what = 'copy'"));
  HF_TRY(const auto size, db.number("SELECT next FROM numbers WHERE what = 'copy_size'"));
  return CopyPlace{number.value_or(0), static_cast<std::uint64_t>(size.value_or(0))};
}

Result<void> put_copy_place(Db& db, const CopyPlace& place) {
  HF_CHECK(db.run("INSERT OR REPLACE INTO numbers VALUES ('copy', ?)", place.number));
  return db.run("INSERT OR REPLACE INTO numbers VALUES ('copy_size', ?)", static_cast<std::int64_t>(place.size));
}

Result<CopyPlace> append_changes(const std::string& packs, const CopyPlace& place, std::string_view changes) {
  if (changes.empty()) return place;
  if (changes.size() > kMaxChanges) return fail(ErrorKind::too_large, "a commit changes too much of the catalogue");
  ZstdPacker packer(kLevel);
  HF_TRY(const std::string packed, packer.pack(changes));
  RecordHead head{};
  std::ranges::copy(kCopyMagic, head.magic.begin());
  head.size = static_cast<std::uint32_t>(changes.size());
  head.packed_size = static_cast<std::uint32_t>(packed.size());
  head.sum = sum_of(packed);
  std::string record(reinterpret_cast<const char*>(&head), sizeof head);
  record += packed;
  const std::string path = file_of(packs, place.number, kChanges);
  const Fd file(::openat(AT_FDCWD, path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!file) return fail(system_error(path, errno));
  // What somebody wrote who did not come to commit.
  if (::ftruncate(file.get(), static_cast<off_t>(place.size)) != 0) return fail(system_error("cutting " + path, errno));
  if (auto written = write_all(file.get(), record); !written) return fail(std::move(written).error().within(path));
  if (::fdatasync(file.get()) != 0) return fail(system_error("syncing " + path, errno));
  return CopyPlace{place.number, place.size + record.size()};
}

std::int64_t newest_copy(const std::string& packs) {
  const auto numbers = copies_in(packs);
  return numbers.empty() ? 0 : numbers.front();
}

std::uint64_t copied_bytes(const std::string& packs) {
  std::uint64_t bytes = 0;
  for (const std::int64_t number : copies_in(packs)) {
    for (const std::string_view ending : {kNames, kChanges}) {
      std::error_code error;
      const auto size = std::filesystem::file_size(file_of(packs, number, ending), error);
      if (!error) bytes += size;
    }
  }
  return bytes;
}

bool is_copy_outgrown(const std::string& packs, const CopyPlace& place) {
  if (place.number == 0) return true;
  if (place.size < kAlwaysKept) return false;
  std::error_code error;
  const auto size = std::filesystem::file_size(file_of(packs, place.number, kNames), error);
  return error || place.size > size;
}

Result<void> make_copy(Db& db, const std::string& packs, std::int64_t number) {
  const std::string path = file_of(packs, number, kNames), unfinished = path + ".tmp";
  if (::unlink(unfinished.c_str()) != 0 && errno != ENOENT) return fail(system_error(unfinished, errno));
  if (::unlink(file_of(packs, number, kChanges).c_str()) != 0 && errno != ENOENT) return fail(system_error(path, errno));
  HF_CHECK(db.run("VACUUM INTO ?", unfinished));
  if (::chmod(unfinished.c_str(), 0600) != 0) return fail(system_error(unfinished, errno));
  HF_CHECK(sync_file(unfinished));
  if (::rename(unfinished.c_str(), path.c_str()) != 0) return fail(system_error("naming " + path, errno));
  const Fd changes(::openat(AT_FDCWD, file_of(packs, number, kChanges).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  if (!changes) return fail(system_error("creating " + file_of(packs, number, kChanges), errno));
  return sync_folder(packs);
}

void remove_copies_but(const std::string& packs, std::int64_t number) {
  if (number == 0) return;
  for (const std::int64_t each : copies_in(packs)) {
    if (each == number) continue;
    for (const std::string_view ending : {kNames, kChanges}) static_cast<void>(::unlink(file_of(packs, each, ending).c_str()));
  }
}

Result<void> check_copy(const std::string& packs, const CopyPlace& place, const std::string& vfs) {
  if (place.number == 0) return {};
  HF_CHECK(check_names(file_of(packs, place.number, kNames), vfs));
  const std::string path = file_of(packs, place.number, kChanges);
  HF_TRY(const std::uint64_t whole, each_record(path, [](std::string_view) -> Result<void> { return {}; }));
  if (whole < place.size)
    return fail(ErrorKind::corrupt, fmt::format("{} is damaged: {} of {} bytes can be read", path, whole, place.size));
  return {};
}

Result<void> rebuild_catalogue(const std::string& packs, const std::string& path, const std::string& vfs) {
  const std::string unfinished = path + ".new";
  Result<void> rebuilt = fail(ErrorKind::not_found, "there is no copy of the catalogue beside the packs",
                              "put it back from a backup; nothing is written or removed until then");
  for (const std::int64_t number : copies_in(packs)) {
    rebuilt = rebuild_from(packs, number, unfinished, vfs);
    if (rebuilt) break;
  }
  if (!rebuilt) return rebuilt;
  HF_CHECK(sync_file(unfinished));
  if (::rename(unfinished.c_str(), path.c_str()) != 0) return fail(system_error("naming " + path, errno));
  return sync_folder(path.substr(0, path.rfind('/')));
}

}  // namespace holdfast::store
