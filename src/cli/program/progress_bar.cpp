#include "cli/program/progress_bar.h"

#include "base/text/text.h"
#include "cli/program/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

namespace holdfast::cli {

namespace {

constexpr std::size_t kBarWidth = 24;

}  // namespace

std::string size_text(std::uint64_t bytes) {
  constexpr std::array kSizeUnits = {"KB", "MB", "GB", "TB"};
  constexpr double kStep = 1024;
  if (bytes < static_cast<std::uint64_t>(kStep)) return fmt::format("{} bytes", bytes);
  double size = static_cast<double>(bytes) / kStep;
  std::size_t unit = 0;
  for (; size >= kStep && unit + 1 < kSizeUnits.size(); ++unit) size /= kStep;
  return fmt::format("{:.1f} {}", size, kSizeUnits[unit]);
}

Millis steady_milliseconds() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void ProgressBar::update(Millis now, std::string_view step, std::uint64_t done, std::uint64_t total) {
  if (began_ < 0) began_ = now;
  if (now - began_ < kPatience || (shown_ && now - drawn_ < kRedraw)) return;
  drawn_ = now;
  shown_ = true;
  if (total == 0) {
    write_(fmt::format("{}{} {}", kEraseLine, step, size_text(done)));
    return;
  }
  const double part = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const auto filled = static_cast<std::size_t>(part * kBarWidth);
  write_(fmt::format("{}{} [{}{}] {:3.0f}%  {} of {}", kEraseLine, step, std::string(filled, '='),
                     std::string(kBarWidth - filled, ' '), part * 100, size_text(done), size_text(total)));
}

void ProgressBar::clear() {
  if (shown_) write_(kEraseLine);
  shown_ = false;
}

namespace {

constexpr Millis kWorthSaying = 2000;  // a wait that is shorter needs no number

}  // namespace

void StatusLine::say(Millis now, std::string text) {
  if (began_ < 0) began_ = now;
  said_ = now;
  text_ = std::move(text);
}

void StatusLine::tick(Millis now) {
  if (began_ < 0 || now - began_ < kPatience) return;
  const Millis waited = now - said_;
  const std::string time = waited < kWorthSaying ? std::string() : fmt::format(" ({} s)", waited / 1000);
  // One column stays free: a full line makes some terminals begin another.
  const std::size_t room = width_ > time.size() + 2 ? width_ - time.size() - 1 : 1;
  std::string line = shorten(text_, room) + time;
  if (line == drawn_) return;
  write_(fmt::format("{}{}", kEraseLine, line));
  drawn_ = std::move(line);
}

void StatusLine::take_away() {
  if (!drawn_.empty()) write_(kEraseLine);
  drawn_.clear();
}

}  // namespace holdfast::cli
