#pragma once

// How long to wait before something is tried once more.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <random>
#include <thread>

namespace holdfast {

// `first` before the first repetition (number 0), twice as long before each further one, up to `longest`.
inline std::chrono::milliseconds doubled(std::chrono::milliseconds first, std::size_t repetition,
                                         std::chrono::milliseconds longest) {
  constexpr std::size_t kMostDoublings = 20;  // a million times as long
  return std::min(first * (1 << std::min(repetition, kMostDoublings)), longest);
}

inline double chance() {  // 0 <= x < 1
  thread_local std::minstd_rand numbers(std::random_device{}());
  return std::uniform_real_distribution<double>(0, 1)(numbers);
}

// Between so many parts of it, by chance: many clients of one server must not come back in step.
inline std::chrono::milliseconds jittered(std::chrono::milliseconds pause, double least, double most) {
  return std::chrono::milliseconds(std::llround(static_cast<double>(pause.count()) * (least + (most - least) * chance())));
}

// False as soon as `gives_up` (which may be empty) says so.
inline bool sleep_unless(std::chrono::milliseconds time, const std::function<bool()>& gives_up) {
  constexpr std::chrono::milliseconds kAskEvery{50};  // a small part of what a person notices
  const auto end = std::chrono::steady_clock::now() + time;
  for (auto now = end - time; now < end; now = std::chrono::steady_clock::now()) {
    if (gives_up && gives_up()) return false;
    std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(end - now, kAskEvery));
  }
  return true;
}

}  // namespace holdfast
