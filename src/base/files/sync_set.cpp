#include "base/files/sync_set.h"

#include "base/files/in_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace holdfast {

Result<void> SyncSet::add(const Fd& file) {
  Fd same(::fcntl(file.get(), F_DUPFD_CLOEXEC, 0));
  if (!same) return fail(system_error("a file to be synced", errno));
  files_.push_back(std::move(same));
  if (files_.size() <= each_ && file_systems_.empty()) return {};
  for (Fd& each : std::exchange(files_, {})) {
    struct stat status{};
    if (::fstat(each.get(), &status) != 0) return fail(system_error("a file to be synced", errno));
    file_systems_.try_emplace(status.st_dev, std::move(each));
  }
  return {};
}

Result<void> SyncSet::sync() {
  for (const Fd& file : files_)
    if (::fsync(file.get()) != 0) return fail(system_error("sync new files", errno));
  files_.clear();
  for (const auto& [device, file] : file_systems_)
    if (::syncfs(file.get()) != 0) return fail(system_error("sync new files", errno));
  return {};
}

Result<void> SyncSet::sync_folders(const std::function<Result<Fd>(const std::string& folder)>& open) {
  for (const std::string& path : std::exchange(folders_, {})) {
    const auto folder = open(path);
    if (!folder && folder.error().kind == ErrorKind::not_found) continue;
    if (!folder) return fail(folder.error());
    HF_CHECK(sync_open_folder(folder->get(), path));
  }
  return {};
}

}  // namespace holdfast
