#pragma once

// How far long work has come, on one line of a terminal that is drawn over. Short work shows nothing.
//
// Knows no clock and no terminal: it is told the time and given a function that writes. One thread.

#include "base/run/clock.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace holdfast::cli {

class ProgressBar {
 public:
  static constexpr Millis kPatience = 500;  // what takes less is over before it could be read
  static constexpr Millis kRedraw = 100;    // more often only flickers

  using Write = std::function<void(std::string_view)>;
  explicit ProgressBar(Write write) : write_(std::move(write)) {}

  // now: milliseconds since any fixed moment.
  void update(Millis now, std::string_view step, std::uint64_t done, std::uint64_t total);
  void clear();  // takes the line away; more may follow

 private:
  Write write_;
  Millis began_ = -1, drawn_ = -1;
  bool shown_ = false;
};

// The moment to tell a bar, or a StatusLine: milliseconds of a clock that nobody sets.
Millis steady_milliseconds();

// "950 bytes", "1.4 MB"
std::string size_text(std::uint64_t bytes);

// What is going on right now, on one line of a terminal that is drawn over: the newest word counts, with how long ago it was
// said. Short work shows nothing.
//
// Knows no clock and no terminal: it is told the time and given a function that writes. One thread.
class StatusLine {
 public:
  static constexpr Millis kPatience = 500;  // what takes less is over before it could be read
  static constexpr Millis kTick = 250;      // how often to call tick

  using Write = std::function<void(std::string_view)>;
  // width: columns of the terminal.
  StatusLine(Write write, std::size_t width) : write_(std::move(write)), width_(width) {}

  // now: milliseconds since any fixed moment.
  void say(Millis now, std::string text);
  void tick(Millis now);  // draws what has changed
  void take_away();       // before something else is written; the next tick draws it again

 private:
  Write write_;
  const std::size_t width_;
  Millis began_ = -1, said_ = 0;
  std::string text_, drawn_;
};

}  // namespace holdfast::cli
