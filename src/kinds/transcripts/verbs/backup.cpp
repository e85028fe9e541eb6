#include "kinds/transcripts/verbs/backup.h"

#include "base/crypto/hash.h"
#include "base/files/file.h"
#include "base/ids.h"
#include "base/text/text.h"
#include "kinds/transcripts/archive/archive_reader.h"
#include "kinds/transcripts/archive/archive_slots.h"
#include "kinds/transcripts/verbs/copy_result.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <map>
#include <set>

namespace holdfast::transcripts {
namespace {

constexpr std::size_t kHashPiece = 1024 * 1024;
constexpr int kMaxNames = 1000;  // deletes of one session within one second

// What we have just written ourselves has the size that the session has.
constexpr ArchiveLimits kNoLimits{1ULL << 50, 1ULL << 30, 1ULL << 40};

std::string stamp(Millis now) {
  const std::time_t seconds = now / 1000;
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  return fmt::format("{:04}{:02}{:02}-{:02}{:02}{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min,
                     utc.tm_sec);
}

bool exists(const std::string& path) {
  return ::access(path.c_str(), F_OK) == 0;
}

Millis changed_at(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 ? mtime_of(status) : 0;
}

using Hashes = std::map<std::string, std::string>;

Hashes hashes_of(const ArchiveCounts& counts) {
  Hashes hashes;
  for (const ArchiveCounts::File& file : counts.per_file) hashes.emplace(file.path, file.sha256);
  return hashes;
}

Result<void> verify(const Inventory& inventory, const std::string& path, const ArchiveReport& report, const Progress& progress) {
  Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return fail(system_error(path, errno));
  HF_TRY(auto archive, ArchiveReader::open(std::move(file), kNoLimits));
  Nobody nobody;
  HF_TRY(const ArchiveCounts read, archive.read(nobody, progress));
  const Hashes in = hashes_of(report.counts), out = hashes_of(read);
  if (in != out) return fail(ErrorKind::corrupt, path + ": the backup is not what was written");
  for (const Artifact& artifact : inventory.artifacts) {
    if (artifact.kind != ArtifactKind::task_lock && !in.contains(artifact.path)) {
      return fail(ErrorKind::corrupt, fmt::format("{}: the backup lacks {}", path, artifact.path));
    }
  }
  return {};
}

}  // namespace

std::vector<std::string> leave_what_no_backup_holds(Inventory& inventory) {
  std::vector<std::string> left;
  for (const Artifact& artifact : inventory.artifacts) {
    if (!is_safe_path(artifact.path)) left.push_back(to_valid_utf8(artifact.path));
  }
  const auto cannot_be_held = [](const auto& each) { return !is_safe_path(each.path); };
  std::erase_if(inventory.artifacts, cannot_be_held);
  std::erase_if(inventory.folders, cannot_be_held);
  return left;
}

Result<Backup> write_backup(SessionSource& source, const Inventory& inventory, const std::string& project_root,
                            const BackupOptions& options, Millis now, const Progress& progress) {
  HF_CHECK(make_private_folder(options.folder));
  ArchiveOptions archive_options;
  archive_options.format = ArchiveFormat::json;
  archive_options.with_history = true;
  archive_options.without_shared = options.without_shared;
  archive_options.machine_id = options.machine_id;
  archive_options.archived_at = now;
  const std::string name = fmt::format("{}/{}-{}", options.folder, inventory.place.session_id, stamp(now));
  for (int number = 1; number <= kMaxNames; ++number) {
    const std::string path = number == 1 ? name + ".json" : fmt::format("{}-{}.json", name, number);
    if (exists(path)) continue;
    auto report = write_archive(source, inventory, project_root, path, archive_options, progress);
    if (!report) {
      if (report.error().kind == ErrorKind::conflict && exists(path)) continue;  // somebody else took the name
      return fail(std::move(report).error().within("backup"));
    }
    if (auto verified = verify(inventory, path, *report, progress); !verified) {
      ::unlink(path.c_str());
      return fail(std::move(verified).error().within("backup"));
    }
    return Backup{path, report->sha256, report->header.custom_title};
  }
  return fail(ErrorKind::conflict, fmt::format("{}: too many backups of one second", name));
}

Result<std::string> hash_of_archive(int archive) {
  Sha256 hash;
  std::string piece(kHashPiece, '\0');
  for (off_t at = 0;;) {
    const ssize_t got = ::pread(archive, piece.data(), piece.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(system_error("read the archive", errno));
    if (got == 0) return to_hex(hash.finish());
    hash.add(std::string_view(piece.data(), static_cast<std::size_t>(got)));
    at += got;
  }
}

std::string undo_command(const std::string& backup_path) {
  return "holdfast restore --in-place " + shell_quoted(backup_path);
}

std::optional<std::string> drop_backup(Backup& backup) {
  if (backup.path.empty() || ::unlink(backup.path.c_str()) == 0) {
    backup = {};
    return std::nullopt;
  }
  return system_error("the backup could not be removed: " + backup.path, errno).message;
}

Result<std::vector<KeptBackup>> newest_backups(const std::string& folder) {
  std::vector<KeptBackup> backups;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    const bool is_archive = name.ends_with(".json") || name.ends_with(".json.zst");
    if (!is_archive || name.size() <= kUuidLength || name[kUuidLength] != '-' || !is_uuid(name.substr(0, kUuidLength))) continue;
    backups.push_back({name.substr(0, kUuidLength), at->path().string(), changed_at(at->path().string())});
  }
  if (error && error != std::errc::no_such_file_or_directory) return fail(system_error(folder, error.value()));
  // Two of one second differ in their names, so the order is the same every time.
  std::ranges::sort(backups, [](const KeptBackup& a, const KeptBackup& b) {
    return a.made_at != b.made_at ? a.made_at > b.made_at : a.path > b.path;
  });
  std::set<std::string> seen;
  std::erase_if(backups, [&](const KeptBackup& backup) { return !seen.insert(backup.session_id).second; });
  return backups;
}

Result<KeptBackup> find_backup(const std::string& folder, std::string_view id_or_prefix) {
  HF_TRY(std::vector<KeptBackup> backups, newest_backups(folder));
  std::erase_if(backups, [&](const KeptBackup& backup) { return !backup.session_id.starts_with(id_or_prefix); });
  if (backups.empty())
    return fail(ErrorKind::not_found, fmt::format("there is no backup of a session {} in {}", id_or_prefix, folder),
                "give the archive's path, or the id of a deleted session");
  if (backups.size() == 1) return std::move(backups.front());
  std::string hint;
  for (std::size_t i = 0; i < backups.size() && i < kHintedMatches; ++i)
    hint += fmt::format("{}{}  {}", i == 0 ? "" : "\n", backups[i].session_id, iso8601(backups[i].made_at));
  return fail(ErrorKind::ambiguous, fmt::format("{} fits the backups of {} sessions", id_or_prefix, backups.size()), hint);
}

}  // namespace holdfast::transcripts
