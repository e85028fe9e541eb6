#include "jsonl/line_reader.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

namespace holdfast::jsonl {

LineReader::LineReader(int fd, bool stream, std::uint64_t from, std::uint64_t to, std::size_t max_line_bytes)
    : fd_(fd), stream_(stream), position_(from), to_(to), max_line_bytes_(std::max<std::size_t>(max_line_bytes, 1)) {}

LineReader LineReader::of_stream(int fd, std::size_t max_line_bytes) {
  return {fd, true, 0, std::numeric_limits<std::uint64_t>::max(), max_line_bytes};
}

LineReader LineReader::of_source(Source source, std::size_t max_line_bytes) {
  LineReader reader = of_stream(-1, max_line_bytes);
  reader.source_ = std::move(source);
  return reader;
}

LineReader LineReader::of_range(int fd, std::uint64_t from, std::uint64_t to, std::size_t max_line_bytes) {
  return {fd, false, from, to, max_line_bytes};
}

Result<std::optional<Line>> LineReader::next() {
  for (;;) {
    if (scanned_ < end_) {
      const char* start = buffer_.get() + scanned_;
      if (const void* newline = std::memchr(start, '\n', end_ - scanned_))
        return take(scanned_ + static_cast<std::size_t>(static_cast<const char*>(newline) - start) + 1);
      scanned_ = end_;
    }
    if (at_end_) {
      if (begin_ == end_) return std::nullopt;
      return take(end_);
    }
    // Two bytes, because the last one may be the first half of a CRLF and then stays for the next piece.
    const std::size_t waiting = end_ - begin_;
    if (waiting > max_line_bytes_ || (inside_overlong_ && waiting > 1)) return take_piece();
    if (auto filled = fill(); !filled) {
      at_end_ = true;
      begin_ = scanned_ = end_;
      return fail(std::move(filled).error());
    }
  }
}

Line LineReader::take(std::size_t end) {
  const char* start = buffer_.get() + begin_;
  const std::size_t size = end - begin_;
  std::size_t ending = 0;
  if (start[size - 1] == '\n') ending = size > 1 && start[size - 2] == '\r' ? 2 : 1;
  Line line;
  line.text = {start, size - ending};
  line.ending = {start + size - ending, ending};
  line.offset = position_ - (end_ - begin_);
  line.number = number_++;
  line.overlong = inside_overlong_ || line.text.size() > max_line_bytes_;
  inside_overlong_ = false;
  begin_ = scanned_ = end;
  return line;
}

Line LineReader::take_piece() {
  const char* start = buffer_.get() + begin_;
  std::size_t size = end_ - begin_;
  if (start[size - 1] == '\r') --size;
  Line piece{.text = {start, size}, .ending = {start + size, 0}, .offset = position_ - (end_ - begin_), .number = number_};
  piece.overlong = inside_overlong_ = true;
  begin_ += size;
  scanned_ = begin_;
  return piece;
}

Result<void> LineReader::fill() {
  HF_CHECK(make_room());
  const std::uint64_t wanted = std::min<std::uint64_t>(capacity_ - end_, to_ > position_ ? to_ - position_ : 0);
  std::size_t got = 0;
  if (wanted > 0) {
    HF_TRY(got, read_some(buffer_.get() + end_, wanted));
  }
  if (got == 0) at_end_ = true;
  end_ += got;
  position_ += got;
  return {};
}

Result<std::size_t> LineReader::read_some(char* into, std::size_t wanted) {
  if (source_) return source_(into, wanted);
  for (;;) {
    const ssize_t got = stream_ ? ::read(fd_, into, wanted) : ::pread(fd_, into, wanted, static_cast<off_t>(position_));
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return fail(system_error("reading lines", errno));
  }
}

// Leaves a useful amount of free space behind end_: moves the unread bytes to the front, then grows. realloc, because
// it moves pages, not bytes, where a line is large.
Result<void> LineReader::make_room() {
  if (begin_ > 0) {
    if (end_ > begin_) std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
    scanned_ -= begin_;
    end_ -= begin_;
    begin_ = 0;
  }
  if (capacity_ - end_ >= kReadBytes / 2) return {};
  const std::size_t larger = std::max(kReadBytes, capacity_ * 2);
  char* grown = static_cast<char*>(std::realloc(buffer_.get(), larger));
  if (!grown) return fail(ErrorKind::unavailable, "no memory for a long line");
  static_cast<void>(buffer_.release());
  buffer_.reset(grown);
  capacity_ = larger;
  return {};
}

}  // namespace holdfast::jsonl
