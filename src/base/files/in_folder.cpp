#include "base/files/in_folder.h"

#include "base/files/path_below.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <memory>

namespace holdfast {
namespace {

int rename_without_flags(int from, const std::string& name, int to, const std::string& new_name) {
  struct stat status{};
  if (::fstatat(from, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return errno;
  if (!S_ISDIR(status.st_mode)) {
    if (::linkat(from, name.c_str(), to, new_name.c_str(), 0) == 0) return ::unlinkat(from, name.c_str(), 0) == 0 ? 0 : errno;
    if (errno != EPERM && errno != EOPNOTSUPP) return errno;
  }
  if (::fstatat(to, new_name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) return EEXIST;
  return ::renameat(from, name.c_str(), to, new_name.c_str()) == 0 ? 0 : errno;
}

unsigned char type_of(int folder, const dirent& entry) {
  if (entry.d_type != DT_UNKNOWN) return entry.d_type;
  struct stat status{};
  if (::fstatat(folder, entry.d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) return DT_WHT;  // nobody takes it
  return static_cast<unsigned char>(IFTODT(status.st_mode));
}

}  // namespace

Result<std::vector<FolderEntry>> entries_in(Fd folder) {
  if (!folder) return fail(system_error("open folder", errno));
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(folder.get()), [](DIR* each) { return ::closedir(each); });
  if (!stream) return fail(system_error("read folder", errno));
  const int number = folder.release();  // the stream owns it now
  std::vector<FolderEntry> entries;
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(stream.get());
    if (!entry) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") entries.push_back({std::string(name), type_of(number, *entry)});
  }
  if (errno != 0) return fail(system_error("read folder", errno));
  return entries;
}

Result<std::vector<FolderEntry>> entries_in(const std::string& folder) {
  HF_TRY(Fd opened, open_folder(folder));
  return entries_in(std::move(opened));
}

int rename_new(int from, const std::string& name, int to, const std::string& new_name) {
  if (::renameat2(from, name.c_str(), to, new_name.c_str(), RENAME_NOREPLACE) == 0) return 0;
  return errno == EINVAL || errno == ENOSYS ? rename_without_flags(from, name, to, new_name) : errno;
}

Result<void> sync_open_folder(int folder, std::string_view path) {
  if (::fsync(folder) != 0 && errno != EINVAL) return fail(system_error("sync " + std::string(path), errno));
  return {};
}

}  // namespace holdfast
