#include "kinds/transcripts/remote/retry.h"

#include "base/files/file.h"
#include "base/files/new_file.h"
#include "base/run/backoff.h"

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

namespace {

using std::chrono::milliseconds;

bool is_worth_another_try(const Result<net::HttpAnswer>& answer) {
  return answer ? answer->status >= 500 : answer.error().kind == ErrorKind::unavailable;
}

}  // namespace

Result<net::HttpAnswer> send_with_retries(net::HttpClient& http, const net::HttpCall& call,
                                          const std::function<Result<void>()>& before, std::span<const milliseconds> pauses) {
  for (std::size_t tries = 0;; ++tries) {
    if (before) HF_CHECK(before());
    auto answer = http.send(call);
    if (tries == pauses.size() || !is_worth_another_try(answer)) return answer;
    if (!sleep_unless(pauses[tries], [&] { return call.progress && !call.progress(0, 0); }))
      return fail(ErrorKind::cancelled, "stopped before the next try");
  }
}

}  // namespace holdfast::transcripts
