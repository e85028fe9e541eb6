#include "kinds/transcripts/verbs/backups.h"

#include "base/ids.h"
#include "kinds/transcripts/home/find.h"

#include <fmt/format.h>

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace holdfast::transcripts {

namespace {

Millis changed_at(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return 0;
  return static_cast<Millis>(status.st_mtim.tv_sec) * 1000 + status.st_mtim.tv_nsec / 1'000'000;
}

}  // namespace

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
