#include "base/files/new_file.h"

#include "base/files/in_folder.h"
#include "base/files/path_below.h"
#include "base/ids.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace holdfast {
namespace {

// NFS, exFAT and old overlays.
bool means_no_unnamed_files(int error) {
  return error == EOPNOTSUPP || error == EISDIR || error == EINVAL || error == ENOSYS;
}

std::string temporary_name() {
  return ".holdfast-" + random_base62(16) + ".tmp";
}

std::unexpected<Error> name_is_taken(const std::string& path) {
  return fail(ErrorKind::conflict, path + " exists already", "choose another name, or remove it first");
}

}  // namespace

Result<NewFile> NewFile::make(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == path.npos ? "." : path.substr(0, slash + 1);
  NewFile file;
  file.path_ = path;
  file.name_ = path.substr(slash + 1);
  if (file.name_.empty()) return fail(ErrorKind::invalid, "not the name of a file: \"" + path + "\"");
  HF_TRY(file.folder_, open_folder(folder));
  struct stat status{};
  if (::fstatat(file.folder_.get(), file.name_.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) return name_is_taken(path);

  file.fd_ = Fd(::openat(file.folder_.get(), ".", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600));
  if (!file.fd_ && means_no_unnamed_files(errno)) {
    file.temporary_ = temporary_name();
    file.fd_ =
        Fd(::openat(file.folder_.get(), file.temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file.fd_) file.temporary_.clear();
  }
  if (!file.fd_) return fail(system_error(path, errno));
  if (::fchmod(file.fd_.get(), 0600) != 0) return fail(system_error(path, errno));
  return file;
}

NewFile::~NewFile() {
  if (!temporary_.empty() && folder_) ::unlinkat(folder_.get(), temporary_.c_str(), 0);
}

Result<void> NewFile::clear() {
  if (::ftruncate(fd_.get(), 0) != 0 || ::lseek(fd_.get(), 0, SEEK_SET) != 0) return fail(system_error(path_, errno));
  return {};
}

Result<void> NewFile::commit() {
  if (::fsync(fd_.get()) != 0) return fail(system_error("sync " + path_, errno));
  int result = 0;  // errno
  if (temporary_.empty()) {
    const std::string self = fmt::format("/proc/self/fd/{}", fd_.get());
    if (::linkat(AT_FDCWD, self.c_str(), folder_.get(), name_.c_str(), AT_SYMLINK_FOLLOW) != 0) result = errno;
  } else {
    result = rename_new(folder_.get(), temporary_, folder_.get(), name_);
    if (result == 0) temporary_.clear();
  }
  if (result == EEXIST) return name_is_taken(path_);
  if (result != 0) return fail(system_error(path_, result));
  return sync_open_folder(folder_.get(), "the folder of " + path_);
}

Result<Fd> make_temporary(const std::string& folder) {
  Fd fd(::open(folder.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, 0600));
  if (fd) return fd;
  if (!means_no_unnamed_files(errno)) return fail(system_error("temporary file in " + folder, errno));
  const std::string path = folder + "/" + temporary_name();
  fd = Fd(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd) return fail(system_error("temporary file in " + folder, errno));
  ::unlink(path.c_str());
  return fd;
}

}  // namespace holdfast
