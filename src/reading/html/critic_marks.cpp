#include "reading/html/critic_marks.h"

#include <algorithm>
#include <array>

namespace holdfast::reading {
namespace {

struct Mark {
  std::string_view open, close;
  bool stays = false;
};
constexpr std::array<Mark, 5> kMarks = {
    Mark{"{++", "++}", false}, {"{--", "--}", true}, {"{~~", "~~}", true}, {"{>>", "<<}", false}, {"{==", "==}", true}};

// Who proposed it, and when, in front of the text: {"id":…}@@
std::string_view without_note(std::string_view inside) {
  constexpr std::string_view kEnd = "}@@";
  if (!inside.starts_with("{\"")) return inside;
  const std::size_t end = inside.find(kEnd);
  return end == inside.npos ? std::string_view() : inside.substr(end + kEnd.size());
}

}  // namespace

std::string without_marks(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t at = std::min(text.find('{'), text.size());
    out += text.substr(0, at);
    text.remove_prefix(at);
    const auto mark = std::ranges::find_if(kMarks, [&](const Mark& each) { return text.starts_with(each.open); });
    if (mark == kMarks.end()) {
      out += text.substr(0, 1);
      text.remove_prefix(std::min<std::size_t>(1, text.size()));
      continue;
    }
    const std::size_t end = std::min(text.find(mark->close, mark->open.size()), text.size());
    std::string_view inside = without_note(text.substr(mark->open.size(), end - mark->open.size()));
    if (mark->open == "{~~") inside = inside.substr(0, inside.find("~>"));
    if (mark->stays) out += inside;
    text.remove_prefix(std::min(end + mark->close.size(), text.size()));
  }
  return out;
}

}  // namespace holdfast::reading
