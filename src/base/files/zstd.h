#pragma once

// Zstandard streams: archives, and what others compressed.

#include "base/result.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

namespace holdfast {

// One frame with its content size in the header, checksummed. Compresses on threads of its own while the caller goes on.
class ZstdWriter {
 public:
  struct Options {
    int level = 3;
    int workers = 2;
    int window_log = 21;  // 2 MiB: the whole of it and its threads' buffers stay far below 64 MiB
  };
  // `content_size` must be exactly what is written. `sink` gets the compressed bytes, on the caller's thread.
  static Result<ZstdWriter> make(std::uint64_t content_size, std::function<Result<void>(std::string_view)> sink,
                                 const Options& options);
  ZstdWriter(ZstdWriter&&) noexcept;
  ~ZstdWriter();

  Result<void> write(std::string_view bytes);
  Result<void> finish();  // invalid when the size was not what was promised

 private:
  struct State;
  explicit ZstdWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Any number of frames behind each other, skippable ones too.
class ZstdReader {
 public:
  using Source = std::function<Result<std::size_t>(char* to, std::size_t room)>;  // 0: the end
  static Result<ZstdReader> make(Source source, int max_window_log = 27);
  ZstdReader(ZstdReader&&) noexcept;
  ~ZstdReader();

  // Up to `room` bytes; 0 at the end. Errors: corrupt (damaged, cut off, a window above the limit), those of source.
  Result<std::size_t> read(char* to, std::size_t room);

 private:
  struct State;
  explicit ZstdReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

bool looks_like_zstd(std::string_view first_bytes);

}  // namespace holdfast
