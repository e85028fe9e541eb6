#include "reading/turn.h"

#include "base/text/text.h"

#include <algorithm>
#include <array>

namespace holdfast::reading {

std::string_view name_of(Role role) {
  switch (role) {
    case Role::user:
      return "user";
    case Role::assistant:
      return "assistant";
    case Role::system:
      return "system";
    case Role::other:
      break;
  }
  return "other";
}

CutText cut_text(std::string_view text, std::size_t limit) {
  const std::string_view kept = utf8_prefix(text, limit);
  return {to_valid_utf8(kept), text.size() - kept.size()};
}

bool is_shown_image(std::string_view media_type) {
  constexpr std::array<std::string_view, 4> kShown = {"image/png", "image/jpeg", "image/gif", "image/webp"};
  return std::ranges::find(kShown, media_type) != kShown.end();
}

bool Turn::has_error() const {
  return error || std::ranges::any_of(parts, [](const Part& part) { return part.result && part.result->error; });
}

}  // namespace holdfast::reading
