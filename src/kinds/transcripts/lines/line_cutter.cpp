#include "kinds/transcripts/lines/line_cutter.h"

namespace holdfast::transcripts {

Result<void> LineCutter::add(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t newline = bytes.find('\n');
    if (newline == bytes.npos) {
      held_ += bytes;
      return held_.size() > max_line_bytes_ || inside_overlong_ ? give_piece() : Result<void>{};
    }
    if (held_.empty()) {
      HF_CHECK(give(bytes.substr(0, newline + 1)));
    } else {
      held_ += bytes.substr(0, newline + 1);
      HF_CHECK(give(held_));
      held_.clear();
    }
    bytes.remove_prefix(newline + 1);
  }
  return {};
}

Result<void> LineCutter::finish() {
  if (!held_.empty()) HF_CHECK(give(held_));
  held_.clear();
  return {};
}

Result<void> LineCutter::give(std::string_view line) {
  std::size_t ending = 0;
  if (line.ends_with('\n')) ending = line.ends_with("\r\n") ? 2 : 1;
  const std::string_view text = line.substr(0, line.size() - ending);
  const bool overlong = inside_overlong_ || text.size() > max_line_bytes_;
  inside_overlong_ = false;
  return take_(text, line.substr(text.size()), overlong);
}

// All but a last carriage return, which may be half an ending.
Result<void> LineCutter::give_piece() {
  const std::size_t size = held_.size() - (held_.ends_with('\r') ? 1 : 0);
  if (size == 0) return {};
  inside_overlong_ = true;
  HF_CHECK(take_(std::string_view(held_).substr(0, size), {}, true));
  held_.erase(0, size);
  return {};
}

}  // namespace holdfast::transcripts
