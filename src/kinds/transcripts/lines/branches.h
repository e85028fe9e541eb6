#pragma once

// One way through the tree of a transcript (transcript-archive §1.4, on-disk §8), and where others leave it.
//
// The way that a client would resume: from the leaf that the last last-prompt names, on to the newest of its descendants, then up
// by parentUuid to the root. For reading it goes on where the client stops: behind a compaction with the record that the
// compaction names, behind a missing parent with the message before it in the file. What tools answered to calls on the way
// belongs to it, also where the chain went on from the answer to another call; so does the summary of a compaction, for what the
// client kept of the messages before may go on without it.

#include "kinds/transcripts/lines/line_index.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace holdfast::transcripts {

// The order in which the lines of a transcript are read: that of the file, but nothing stands above what it answers.
//
// A client writes in batches that do not wait for each other. Where two meet, as behind a compaction, an answer may lie in the
// file before its prompt; parentUuid tells which was first. So every line stands behind its parent, and the boundary of a
// compaction behind the message it names as the last before it (logicalParentUuid). All other lines stay where they are, and a
// file without such a slip, which is nearly every file, costs no memory here.

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

class Branch {
 public:
  // `through`: the way on which this line lies, to the newest descendant of it; absent: the one a client would resume.
  // `readable`, when given, tells of a line whether it can be read: one that cannot is no end of a way while another can be found
  // near it, for a damaged line must not hide the conversation.
  using Readable = std::function<bool(std::uint32_t)>;
  static Branch of(const LineIndex& index, const LineOrder& order, std::optional<std::uint32_t> through = {},
                   const Readable& readable = {});

  // Lines that hang in no tree (side records, what is broken, other conversations) are on every way.
  bool has(std::uint32_t line) const { return line < on_.size() && on_[line]; }
  std::optional<std::uint32_t> leaf() const { return leaf_; }
  // First lines of ways that leave this one behind `line` (LineIndex::kNone: that begin anew); in the order of reading.
  const std::vector<std::uint32_t>& forks(std::uint32_t line) const;
  std::size_t fork_count() const { return forks_.size(); }

 private:
  std::optional<std::uint32_t> leaf_;
  std::vector<bool> on_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> forks_;
};

}  // namespace holdfast::transcripts
