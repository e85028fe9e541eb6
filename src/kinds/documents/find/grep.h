#pragma once

// Searching lines of the accepted view (document-review §5 `grep`), in linear time, on all cores.

#include "kinds/documents/files/library.h"
#include "kinds/documents/workspace/overlay.h"

#include <chrono>
#include <functional>
#include <string>

namespace holdfast::documents {

struct GrepRequest {
  std::string pattern;
  std::string path, glob;
  std::string output_mode = "files_with_matches";  // content, count
  std::string view = "accepted";                   // base, raw
  bool ignore_case = false, multiline = false;
  std::int64_t before = 0, after = 0;
  bool context_asked = false;  // any of -A, -B, -C was given
  std::size_t head_limit = 250, offset = 0;
  std::chrono::milliseconds deadline{5000};
  std::function<bool()> cancelled;
};

// The text of the answer. Errors: invalid with code bad_regex (names the construct) or bad_argument, not_found, timeout.
Result<std::string> grep(Library& library, const Overlay& overlay, const GrepRequest& request);

}  // namespace holdfast::documents
