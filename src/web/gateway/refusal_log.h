#pragma once

// Says in the log that somebody came with a token, a code or a connection that opens nothing: the trace that guessing leaves.
//
// A flood of guesses must not become a flood of lines: after kLinesAMinute they are counted, and the next line says how many
// there were. What was presented is never written. Any thread.

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string_view>

namespace holdfast::web {

class RefusalLog {
 public:
  static constexpr int kLinesAMinute = 30;

  // peer: "127.0.0.1:50123"; why: one line, of our making.
  void note(std::string_view peer, std::string_view why);

 private:
  std::mutex mutex_;
  std::chrono::steady_clock::time_point minute_{};  // when the present one began
  int lines_ = 0;                                   // of this minute
  std::uint64_t unsaid_ = 0;
};

}  // namespace holdfast::web
