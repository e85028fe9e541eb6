#pragma once

// A file that another program is writing: one moment of it, read whole.
//
// Transcripts are appended to while we read. We never lock such a file and never write to it; we take its size once and
// read exactly that much. Lines that are complete by then are records; what stands behind the last newline is the tail, a
// line being written, and the only Line of the reader whose ending is empty.

#include "base/files/fd.h"
#include "base/result.h"
#include "jsonl/line_reader.h"

#include <sys/stat.h>

#include <cstdint>

namespace holdfast::jsonl {

class LiveFile {
 public:
  // Errors: invalid (not a regular file), io.
  static Result<LiveFile> of(Fd fd);

  std::uint64_t size() const { return static_cast<std::uint64_t>(moment_.st_size); }  // at that moment
  const struct stat& moment() const { return moment_; }
  int fd() const { return fd_.get(); }

  // What the file held at that moment, from an offset on (for readers that know the lines before it). Several may be
  // in use; they do not disturb each other.
  LineReader lines(std::uint64_t from = 0, std::size_t max_line_bytes = kMaxLineBytes) const;

  // Has the file grown at most since then, and is `now` still the same file? Errors: io.
  Result<bool> only_grew(const Fd& now) const;

 private:
  LiveFile(Fd fd, const struct stat& moment) : fd_(std::move(fd)), moment_(moment) {}

  Fd fd_;
  struct stat moment_;
};

// The offset behind the last newline before `end` of the file, 0 when there is none: where the complete lines end. Reads
// backwards, so it costs the length of the tail.
Result<std::uint64_t> end_of_complete_lines(int fd, std::uint64_t end);

}  // namespace holdfast::jsonl
