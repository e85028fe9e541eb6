#pragma once

// A text by its lines, as models are shown them: the number right-aligned in six columns, a tab, the line without its end
// (document-review §5 `read`).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

// Without line ends; a last line end begins no further line.
std::vector<std::string_view> lines_of(std::string_view text);

struct LineRange {
  std::size_t first = 1, last = 0;  // 1-based, both included
};
// Lines that exist; joined by LF, none after the last.
std::string numbered(const std::vector<std::string_view>& lines, LineRange range);

// Some parts of a long text, in order and apart; only they are looked at line by line.
std::vector<std::string> numbered_parts(std::string_view text, const std::vector<LineRange>& ranges);

// "", "crlf" or "mixed": what the reader cannot see.
std::string_view unseen_line_ends(std::string_view text);

// The lines of `lines` most like the text, with some around them, numbered; "" when none is like it.
std::string nearby_lines(const std::vector<std::string_view>& lines, std::string_view wanted);

}  // namespace holdfast::documents
