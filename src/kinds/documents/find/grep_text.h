#pragma once

// grep in one text: which lines match, and how they are shown.

#include "kinds/documents/text/line_pattern.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

// Of a longer line its beginning is shown: the rest would push everything else out of the answer.
inline constexpr std::size_t kMaxShownLine = 2000;

enum class GrepMode { files, content, count };

struct GrepTextOptions {
  GrepMode mode = GrepMode::files;
  std::size_t before = 0, after = 0;  // lines of context
  std::size_t max_lines = 0;          // of content; more are not looked for
  bool has_carriage_returns = true;   // false: there are none, which saves looking
  std::function<bool()> go_on;        // asked now and then; may be empty
};

// Lines of content, one behind the other.
struct ShownLine {
  std::size_t end = 0;        // in `lines`, line feed included
  bool begins_group = false;  // it does not follow the one before
};

struct GrepHits {
  std::size_t count = 0;  // matching lines; 1 when only asked whether there is one
  std::string lines;
  std::vector<ShownLine> shown;
};

// Lines end with LF or CR LF; the end is no part of them. Path: put before every line shown.
GrepHits grep_text(std::string_view text, LinePattern& pattern, std::string_view path, const GrepTextOptions& options);

}  // namespace holdfast::documents
