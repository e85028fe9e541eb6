#pragma once

// A source of bytes that works on a thread of its own, a few blocks ahead of its reader: decompression beside everything else.

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace holdfast::transcripts {

// Below this a thread costs more than it gives.
inline constexpr std::uint64_t kReadAheadFrom = 1024 * 1024;

class ReadAhead {
 public:
  using Source = std::function<Result<std::size_t>(char* to, std::size_t room)>;  // 0: the end

  // `source` is called by the thread alone, and not after an error or the end.
  explicit ReadAhead(Source source);
  ~ReadAhead();  // stops the thread and waits for it
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  // One thread at a time. What the source said, in its order, its error included.
  Result<std::size_t> read(char* to, std::size_t room);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace holdfast::transcripts
