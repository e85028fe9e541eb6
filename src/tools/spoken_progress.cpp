#include "tools/spoken_progress.h"

#include "base/text/text.h"

namespace holdfast::tools {

void SpokenProgress::add(std::string_view piece) {
  characters_ += utf8_length(piece);
  end_ += piece;
  if (end_.size() > 2 * kShown) end_.erase(0, end_.size() - kShown);
  const auto now = std::chrono::steady_clock::now();
  if (now - reported_ < kEvery) return;
  reported_ = now;
  call_.progress(static_cast<double>(characters_), {}, to_valid_utf8(end_));
}

}  // namespace holdfast::tools
