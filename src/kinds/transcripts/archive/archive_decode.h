#pragma once

// Base64 that arrives in pieces, in either alphabet. Internal to the archive reader.

#include "base/result.h"

#include <string>
#include <string_view>

namespace holdfast::transcripts {

class Base64Decoder {
 public:
  // Appends what is complete. White space is passed over. Errors: corrupt.
  Result<void> add(std::string_view text, std::string& out);
  Result<void> finish(std::string& out);  // padding may be missing

 private:
  std::string waiting_;
  bool ended_ = false;  // padding has been seen
};

}  // namespace holdfast::transcripts
