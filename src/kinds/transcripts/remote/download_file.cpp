#include "kinds/transcripts/remote/download_file.h"

#include "base/files/file.h"
#include "base/ids.h"

#include <fcntl.h>

#include <cerrno>

namespace holdfast::transcripts {

Result<DownloadFile> DownloadFile::make(const std::string& folder) {
  Fd fd(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (!fd && (errno == EOPNOTSUPP || errno == EISDIR)) {  // a network share: a name for a moment
    const std::string name = folder + "/.holdfast-" + random_base62(16) + ".tmp";
    fd = Fd(::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (fd) ::unlink(name.c_str());
  }
  if (!fd) return fail(system_error("temporary file in " + folder, errno));
  return DownloadFile(std::move(fd));
}

Result<void> DownloadFile::write(std::string_view bytes) {
  auto written = write_all(fd_.get(), bytes);
  if (!written) return fail(std::move(written).error().within("temporary file of the download"));
  return {};
}

Result<void> DownloadFile::start_again() {
  if (::ftruncate(fd_.get(), 0) != 0 || ::lseek(fd_.get(), 0, SEEK_SET) != 0)
    return fail(system_error("temporary file of the download", errno));
  return {};
}

Result<Fd> DownloadFile::finish() && {
  if (::lseek(fd_.get(), 0, SEEK_SET) != 0) return fail(system_error("temporary file of the download", errno));
  return std::move(fd_);
}

}  // namespace holdfast::transcripts
