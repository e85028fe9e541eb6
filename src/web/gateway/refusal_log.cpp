#include "web/gateway/refusal_log.h"

#include "base/run/log.h"

#include <fmt/format.h>

#include <utility>

namespace holdfast::web {

void RefusalLog::note(std::string_view peer, std::string_view why) {
  const auto now = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  if (now - minute_ >= std::chrono::minutes(1)) {
    minute_ = now;
    lines_ = 0;
  }
  if (lines_ >= kLinesAMinute) {
    ++unsaid_;
    return;
  }
  ++lines_;
  const std::string more = unsaid_ == 0 ? "" : fmt::format(" ({} more were refused before)", std::exchange(unsaid_, 0));
  log(LogLevel::warn, "web", fmt::format("{} was refused: {}{}", peer, why, more));
}

}  // namespace holdfast::web
