#pragma once

// The order in which the lines of a transcript are read: that of the file, but nothing stands above what it answers.
//
// A client writes in batches that do not wait for each other. Where two meet, as behind a compaction, an answer may lie in the
// file before its prompt; parentUuid tells which was first. So every line stands behind its parent, and the boundary of a
// compaction behind the message it names as the last before it (logicalParentUuid). All other lines stay where they are, and a
// file without such a slip, which is nearly every file, costs no memory here.

#include "kinds/transcripts/lines/line_index.h"

#include <cstdint>
#include <vector>

namespace holdfast::transcripts {

class LineOrder {
 public:
  LineOrder() = default;  // that of the file
  static LineOrder of(const LineIndex& index);

  // Both from 0. A line that was not there when the order was made has the place of its number.
  std::uint32_t line(std::uint32_t place) const { return place < lines_.size() ? lines_[place] : place; }
  std::uint32_t place(std::uint32_t line) const { return line < places_.size() ? places_[line] : line; }

 private:
  std::vector<std::uint32_t> lines_, places_;  // empty: that of the file
};

}  // namespace holdfast::transcripts
