#pragma once

// The lines of a file, exactly as they are.
//
// The promise: the bytes() of all lines, one behind the other, are the file. A missing final newline, CRLF, empty
// lines, runs of NUL and invalid UTF-8 change nothing; what they mean is the scanner's question. Memory grows with
// the longest line, up to a limit; a longer line arrives in pieces that say so, so that a copy stays true.
//
// One thread at a time. The descriptor belongs to the caller and must outlive the reader.

#include "base/result.h"
#include "jsonl/limits.h"

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

namespace holdfast::jsonl {

// Views live until the next call of next().
struct Line {
  std::string_view text;     // without its ending
  std::string_view ending;   // "\n", "\r\n", or "": the file ends here without a newline (or a piece ends, see overlong)
  std::uint64_t offset = 0;  // of text in the file, or in the stream
  std::uint64_t number = 0;  // from 1; the pieces of one line share it
  bool overlong = false;     // a piece of a line above the limit; the piece with an ending is its last

  std::string_view bytes() const { return {text.data(), text.size() + ending.size()}; }
};

class LineReader {
 public:
  // Reads what comes: a pipe, or a file from where its descriptor stands.
  static LineReader of_stream(int fd, std::size_t max_line_bytes = kMaxLineBytes);
  // Reads what the function delivers: up to `room` bytes a call, 0 at the end. For what is decompressed on the way.
  using Source = std::function<Result<std::size_t>(char* to, std::size_t room)>;
  static LineReader of_source(Source source, std::size_t max_line_bytes = kMaxLineBytes);
  // Reads the bytes from..to of a file, without moving its descriptor; fewer when the file is shorter.
  static LineReader of_range(int fd, std::uint64_t from, std::uint64_t to, std::size_t max_line_bytes = kMaxLineBytes);

  // The next line, or nullopt at the end. Errors: io, those of a source, unavailable (no memory for a long line); after an
  // error the reader is at its end.
  Result<std::optional<Line>> next();

 private:
  struct Free {
    void operator()(char* memory) const { std::free(memory); }
  };

  LineReader(int fd, bool stream, std::uint64_t from, std::uint64_t to, std::size_t max_line_bytes);
  Result<void> fill();
  Result<std::size_t> read_some(char* into, std::size_t wanted);
  Result<void> make_room();
  Line take(std::size_t end);
  Line take_piece();

  int fd_;
  bool stream_;
  Source source_;  // instead of the descriptor
  bool at_end_ = false;
  bool inside_overlong_ = false;
  std::uint64_t position_;  // of the next byte to read
  std::uint64_t to_;
  std::size_t max_line_bytes_;
  std::uint64_t number_ = 1;
  std::unique_ptr<char, Free> buffer_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0, scanned_ = 0, end_ = 0;  // buffer_[begin_, end_) is unread; no newline before scanned_
};

}  // namespace holdfast::jsonl
