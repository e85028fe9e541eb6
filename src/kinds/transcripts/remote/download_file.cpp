#include "kinds/transcripts/remote/download_file.h"

#include "base/files/file.h"
#include "base/files/new_file.h"

#include <unistd.h>

#include <cerrno>

namespace holdfast::transcripts {

Result<DownloadFile> DownloadFile::make(const std::string& folder) {
  HF_TRY(Fd fd, make_temporary(folder));
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
