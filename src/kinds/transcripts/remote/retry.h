#pragma once

// A call that may be made again: one whose repetition changes nothing.

#include "base/files/fd.h"
#include "base/result.h"
#include "net/client/http_client.h"

#include <array>
#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace holdfast::transcripts {

// Where a download goes: a file without a name, so that nothing is left when the program dies half way.

class DownloadFile {
 public:
  // In `folder`, mode 0600. Errors: not_found, refused, io.
  static Result<DownloadFile> make(const std::string& folder);

  Result<void> write(std::string_view bytes);
  Result<void> start_again();  // empty, for a second try
  Result<Fd> finish() &&;      // to be read from its beginning

 private:
  explicit DownloadFile(Fd fd) : fd_(std::move(fd)) {}
  Fd fd_;
};

// Long enough for a server that restarts a worker, short enough for a person who waits.
inline constexpr std::array kRetryPauses = {std::chrono::milliseconds(300), std::chrono::milliseconds(900)};

// Sends it again after each pause while the peer cannot be reached or says 5xx; call.progress is asked during the pauses, too.
// `before` runs before every try (a sink starts again) and may be empty.
Result<net::HttpAnswer> send_with_retries(net::HttpClient& http, const net::HttpCall& call,
                                          const std::function<Result<void>()>& before = {},
                                          std::span<const std::chrono::milliseconds> pauses = kRetryPauses);

}  // namespace holdfast::transcripts
