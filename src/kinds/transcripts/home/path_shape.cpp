#include "kinds/transcripts/home/path_shape.h"

#include "base/ids.h"
#include "base/text/text.h"

#include <algorithm>

namespace holdfast::transcripts {
namespace {

constexpr std::size_t kShortestHex = 6;  // shorter ones are words: "add", "face"

std::size_t run(std::string_view text, bool (*belongs)(char)) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, belongs) - text.begin());
}

}  // namespace

std::string path_shape(std::string_view path, const SessionPlace& place) {
  std::string out;
  const std::string own_folder = "projects/" + place.project_folder + "/";
  if (path.starts_with(own_folder)) {
    out = "projects/*/";
    path.remove_prefix(own_folder.size());
  }
  while (!path.empty()) {
    if (path.starts_with(place.session_id)) {
      out += "SESSION";
      path.remove_prefix(place.session_id.size());
    } else if (path.size() >= kUuidLength && is_uuid(path.substr(0, kUuidLength))) {
      out += "UUID";
      path.remove_prefix(kUuidLength);
    } else if (const std::size_t hex = run(path, is_lower_hex);
               hex >= kShortestHex && std::ranges::any_of(path.substr(0, hex), is_ascii_digit)) {
      out += "HEX";
      path.remove_prefix(hex);
    } else if (const std::size_t digits = run(path, is_ascii_digit); digits > 0) {
      out += "N";
      path.remove_prefix(digits);
    } else {
      out += path.front();
      path.remove_prefix(1);
    }
  }
  return out;
}

}  // namespace holdfast::transcripts
