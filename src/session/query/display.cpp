#include "session/query/display.h"

#include "base/text/text.h"
#include "session/life/retention.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::session {

namespace {

constexpr std::size_t kTitleFromOpening = 60;  // characters
constexpr Millis kMinute = 60'000, kHour = 60 * kMinute;

}  // namespace

std::string shown_title(const SessionRecord& record) {
  if (!record.title.empty()) return record.title;
  if (!record.opening.empty()) return shorten(record.opening, kTitleFromOpening);
  return fmt::format("untitled {}", record.kind);
}

std::string shown_status(const SessionRecord& record) {
  const bool shows_visibility = std::ranges::find(kVisibilityAsStatus, record.kind) != kVisibilityAsStatus.end();
  if (shows_visibility && record.visibility != Visibility::live) return std::string(name_of(record.visibility));
  return record.status;
}

std::string age(Millis then, Millis now) {
  const Millis passed = now - then;
  if (passed < kMinute) return "just now";
  if (passed < kHour) return fmt::format("{}m ago", passed / kMinute);
  if (passed < kDay) return fmt::format("{}h ago", passed / kHour);
  return fmt::format("{}d ago", passed / kDay);
}

}  // namespace holdfast::session
