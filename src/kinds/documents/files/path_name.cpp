#include "kinds/documents/files/path_name.h"

#include "base/text/text.h"

#include <algorithm>

namespace holdfast::documents {
namespace {

// PATH_MAX of Linux, less what stands in front of it: the kernel would refuse more.
constexpr std::size_t kMaxPathBytes = 4000;

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7F;
}

std::unexpected<Error> bad_path(std::string why) {
  return fail(ErrorKind::invalid, std::move(why), "Name it by its path relative to the library, as glob prints it.",
              "path_denied");
}

std::unexpected<Error> misspelled(std::string why) {
  return fail(ErrorKind::invalid, std::move(why), "Spell a new path plainly: folder/name.md.", "bad_argument");
}

Result<void> check_text(std::string_view path, PathFor purpose) {
  if (path.size() > kMaxPathBytes) return bad_path("the path is longer than a path can be");
  if (path.find('\0') != path.npos) return bad_path("the path has a NUL character");
  if (std::ranges::any_of(path, is_control)) return bad_path("the path has a control character");
  if (!is_valid_utf8(path)) return bad_path("the path is not UTF-8");
  if (path.starts_with('/')) return bad_path("an absolute path: " + std::string(path));
  if (purpose == PathFor::existing) return {};
  if (path.empty()) return misspelled("the path is empty");
  if (path.contains('"')) return bad_path("a new name cannot have a quotation mark: " + std::string(path));
  if (path.ends_with('/')) return misspelled("the path ends with '/': " + std::string(path));
  if (path.contains("//")) return misspelled("the path has a doubled '/': " + std::string(path));
  return {};
}

template <class Fits>
bool any_segment(std::string_view path, Fits fits) {
  for (;;) {
    const std::size_t slash = path.find('/');
    if (fits(path.substr(0, slash))) return true;
    if (slash == path.npos) return false;
    path.remove_prefix(slash + 1);
  }
}

}  // namespace

Result<std::vector<std::string>> path_segments(std::string_view path, PathFor purpose) {
  HF_CHECK(check_text(path, purpose));
  std::vector<std::string> segments;
  bool plain = true;
  any_segment(path, [&](std::string_view segment) {
    plain = plain && segment != "." && segment != "..";
    if (!segment.empty() && segment != ".") segments.emplace_back(segment);
    return false;
  });
  // One that leaves the folder is refused as such (path_denied), by whoever knows the folder.
  if (purpose == PathFor::creating && !plain && !leaves_its_folder(segments))
    return misspelled("a new path cannot have \".\" or \"..\" in it: " + std::string(path));
  return segments;
}

bool leaves_its_folder(const std::vector<std::string>& segments) {
  std::size_t depth = 0;
  for (const std::string& segment : segments) {
    if (segment != "..")
      ++depth;
    else if (depth-- == 0)
      return true;
  }
  return false;
}

std::string join_path(const std::vector<std::string>& segments) {
  std::string path;
  for (const std::string& segment : segments) {
    if (!path.empty()) path += '/';
    path += segment;
  }
  return path;
}

std::string_view parent_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? std::string_view() : path.substr(0, slash);
}

std::string_view name_of_path(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

bool has_hidden_segment(std::string_view path) {
  return any_segment(path, [](std::string_view segment) { return segment.starts_with('.') && segment != ".."; });
}

bool has_git_segment(std::string_view path) {
  return any_segment(path, [](std::string_view segment) { return equal_ignoring_ascii_case(segment, ".git"); });
}

bool is_speakable(std::string_view name) {
  return std::ranges::none_of(name, is_control) && is_valid_utf8(name);
}

}  // namespace holdfast::documents
