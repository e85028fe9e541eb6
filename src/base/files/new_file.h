#pragma once

// A file that has no name until it is complete, so that a crash at any moment leaves nothing behind.

#include "base/files/fd.h"
#include "base/result.h"

#include <string>

namespace holdfast {

class NewFile {
 public:
  // In the folder of `path`; mode 0600. Errors: conflict (path exists), not_found (its folder does not), io.
  static Result<NewFile> make(const std::string& path);
  NewFile(NewFile&&) noexcept = default;
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile();  // not committed: it is gone

  int fd() const { return fd_.get(); }
  Result<void> clear();   // empty again, to begin anew
  Result<void> commit();  // synced, then named. Errors: conflict (somebody else was faster), io

 private:
  NewFile() = default;

  Fd folder_, fd_;
  std::string path_, name_;
  std::string temporary_;  // its name meanwhile, on file systems without unnamed files
};

// Unnamed from the beginning to the end.
Result<Fd> make_temporary(const std::string& folder);

}  // namespace holdfast
