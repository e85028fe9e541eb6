#pragma once

// Files that somebody has agreed to, each with what was in it: a file that has changed is another file.
//
// Kept in a file of its own, {"PATH": "SHA-256"}, mode 0600: consent is given by one person on one machine, while the store may
// be shared by many.

#include "base/result.h"

#include <string>

namespace holdfast::runner {

enum class Trust { unknown, changed, agreed };

class TrustedFiles {
 public:
  explicit TrustedFiles(std::string list) : list_(std::move(list)) {}

  // Errors: corrupt (the list), those of reading it.
  Result<Trust> of(const std::string& path, const std::string& digest) const;
  // In place of what was agreed to there before. Errors: as of(), io.
  Result<void> agree(const std::string& path, const std::string& digest) const;

 private:
  const std::string list_;
};

}  // namespace holdfast::runner
