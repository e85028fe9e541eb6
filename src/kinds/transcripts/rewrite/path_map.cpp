#include "kinds/transcripts/rewrite/path_map.h"

#include "base/text/find_bytes.h"

#include <algorithm>

namespace holdfast::transcripts {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_windows(std::string_view path) {
  const bool drive = path.size() >= 2 && is_letter(path[0]) && path[1] == ':' && (path.size() == 2 || is_slash(path[2]));
  return drive || path.starts_with("\\\\");
}

std::string_view without_trailing_slash(std::string_view path) {
  const bool has_one = path.size() > 1 && (path.back() == '/' || (is_windows(path) && path.back() == '\\'));
  const bool is_drive = path.size() == 3 && is_windows(path);
  if (has_one && !is_drive) path.remove_suffix(1);
  return path;
}

// What a file's name may go on with: "/a/proj" is not in "/a/proj-old", "/a/proj.bak" or "/a/projé".
bool continues_name(char c) {
  const bool digit = c >= '0' && c <= '9';
  return is_letter(c) || digit || static_cast<unsigned char>(c) >= 0x80 || std::string_view("_-~+@%#").contains(c);
}

bool begins_at_boundary(std::string_view text, std::size_t at) {
  if (at == 0) return true;
  const char before = text[at - 1];
  return !continues_name(before) && !is_slash(before) && before != '.';
}

bool ends_at_boundary(std::string_view text, std::size_t at, bool windows) {
  if (at == text.size() || text[at] == '/' || (windows && text[at] == '\\')) return true;
  // A full stop may end a sentence or go on as ".bak".
  std::size_t behind = at;
  while (behind < text.size() && text[behind] == '.') ++behind;
  if (behind == text.size()) return true;
  return !continues_name(text[behind]) && (behind == at || !is_slash(text[behind]));
}

// Where a path inside a text ends, for the separators that must change with its root.
std::size_t end_of_path(std::string_view text, std::size_t from) {
  constexpr std::string_view kNeverInAPath = "\"'`<>|*?;,()[]{} \t\r\n:";
  return std::min(text.find_first_of(kNeverInAPath, from), text.size());
}

}  // namespace

void PathMap::add(std::string_view old_root, std::string_view new_root) {
  if (old_root.empty() || new_root.empty()) return;
  Pair pair;
  pair.old_root = without_trailing_slash(old_root);
  pair.new_root = without_trailing_slash(new_root);
  pair.old_windows = is_windows(old_root);
  pair.new_windows = is_windows(new_root);
  pair.whole_machine = pair.old_root == "/" || (pair.old_windows && pair.old_root.size() <= 3);
  const auto shorter = [&](const Pair& other) { return other.old_root.size() < pair.old_root.size(); };
  pairs_.insert(std::ranges::find_if(pairs_, shorter), std::move(pair));
}

bool PathMap::Pair::begins(std::string_view value) const {
  if (value.size() < old_root.size()) return false;
  if (!old_windows) return value.starts_with(old_root);
  if (!std::ranges::equal(value.substr(1, old_root.size() - 1), std::string_view(old_root).substr(1),
                          [](char a, char b) { return a == b || (is_slash(a) && is_slash(b)); }))
    return false;
  return lower(value[0]) == lower(old_root[0]) || (is_slash(value[0]) && is_slash(old_root[0]));
}

// The root at `from`, whose path goes on to path_end.
PathMap::Match PathMap::Pair::match(std::string_view text, std::size_t from, std::size_t path_end) const {
  Match found{from, from + old_root.size(), new_root};
  std::string_view rest = text.substr(found.to, path_end - found.to);
  if (is_slash(new_root.back()) && !rest.empty() && is_slash(rest.front())) {  // below a root that is a slash already
    ++found.to;
    rest.remove_prefix(1);
  }
  if (!old_windows || new_windows || !rest.contains('\\')) return found;
  found.to = path_end;
  for (const char c : rest) found.replacement += c == '\\' ? '/' : c;
  return found;
}

std::optional<PathMap::Match> PathMap::root_of(std::string_view value) const {
  for (const Pair& pair : pairs_) {
    if (!pair.begins(value)) continue;
    const std::string_view rest = value.substr(pair.old_root.size());
    if (!rest.empty() && (pair.whole_machine || !(rest[0] == '/' || (pair.old_windows && rest[0] == '\\')))) continue;
    Match found = pair.match(value, 0, value.size());
    if (value.substr(0, found.to) == found.replacement) return std::nullopt;
    return found;
  }
  return std::nullopt;
}

std::optional<std::string> PathMap::translate(std::string_view value) const {
  auto found = root_of(value);
  if (!found) return std::nullopt;
  return std::move(found->replacement) + std::string(value.substr(found->to));
}

// The next occurrence at path boundaries.
std::size_t PathMap::Pair::find_in(std::string_view text, std::size_t from) const {
  if (whole_machine) return kNowhere;
  for (std::size_t at = from; at < text.size(); ++at) {
    if (old_windows)
      while (at < text.size() && !begins(text.substr(at))) ++at;
    else
      at = find_bytes(text, old_root, at);
    if (at >= text.size()) return kNowhere;
    if (begins_at_boundary(text, at) && ends_at_boundary(text, at + old_root.size(), old_windows)) return at;
  }
  return kNowhere;
}

std::vector<PathMap::Match> PathMap::occurrences(std::string_view text) const {
  std::vector<Match> found;
  std::vector<std::size_t> next(pairs_.size());
  for (std::size_t i = 0; i < pairs_.size(); ++i) next[i] = pairs_[i].find_in(text, 0);
  for (;;) {
    // Of two at one place the longer root, which comes first.
    const auto nearest = std::ranges::min_element(next);
    if (nearest == next.end() || *nearest == kNowhere) return found;
    const Pair& pair = pairs_[static_cast<std::size_t>(nearest - next.begin())];
    Match match = pair.match(text, *nearest, end_of_path(text, *nearest + pair.old_root.size()));
    const std::size_t behind = match.to;
    if (text.substr(match.from, match.to - match.from) != match.replacement) found.push_back(std::move(match));
    for (std::size_t i = 0; i < pairs_.size(); ++i)
      if (next[i] < behind) next[i] = pairs_[i].find_in(text, behind);
  }
}

std::vector<std::string_view> PathMap::old_roots() const {
  std::vector<std::string_view> roots;
  for (const Pair& pair : pairs_) roots.emplace_back(pair.old_root);
  return roots;
}

}  // namespace holdfast::transcripts
