#include "cli/program/status_line.h"

#include "base/text/text.h"
#include "cli/program/terminal.h"

#include <fmt/format.h>

namespace holdfast::cli {

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
