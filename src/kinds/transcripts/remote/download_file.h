#pragma once

// Where a download goes: a file without a name, so that nothing is left when the program dies half way.

#include "base/files/fd.h"
#include "base/result.h"

#include <string>
#include <string_view>

namespace holdfast::transcripts {

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

}  // namespace holdfast::transcripts
