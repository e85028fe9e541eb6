#include "documents/glob.h"

#include "documents/walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace holdfast::documents {

namespace {

// {a,b}{c,d}… multiplies; a pattern a person writes has a handful.
constexpr std::size_t kMaxAlternatives = 256;
constexpr std::size_t kMaxPatternBytes = 4096;

std::unexpected<Error> bad(std::string message) {
  return fail(ErrorKind::invalid, std::move(message), "write * ? ** [abc] {a,b}", "bad_argument");
}

// The end of the group that opens at `at`, and where its commas are. Brackets inside of it are passed over.
struct Braces {
  std::size_t end = 0;
  std::vector<std::size_t> commas;
};
std::optional<Braces> braces_at(std::string_view pattern, std::size_t at) {
  Braces found;
  int depth = 0;
  for (std::size_t i = at; i < pattern.size(); ++i) {
    if (pattern[i] == '\\') {
      ++i;
    } else if (pattern[i] == '{') {
      ++depth;
    } else if (pattern[i] == ',' && depth == 1) {
      found.commas.push_back(i);
    } else if (pattern[i] == '}' && --depth == 0) {
      found.end = i;
      return found;
    }
  }
  return std::nullopt;
}

Result<void> expand(std::string_view pattern, std::vector<std::string>& out) {
  std::size_t open = 0;
  while (open < pattern.size() && pattern[open] != '{') open += pattern[open] == '\\' ? 2 : 1;
  if (open >= pattern.size()) {
    if (out.size() == kMaxAlternatives) return bad(fmt::format("the pattern has more than {} alternatives", kMaxAlternatives));
    out.emplace_back(pattern);
    return {};
  }
  auto braces = braces_at(pattern, open);
  if (!braces) return bad("the pattern has a { without a }");
  braces->commas.push_back(braces->end);
  std::size_t begin = open + 1;
  for (const std::size_t end : braces->commas) {
    HF_CHECK(expand(
        fmt::format("{}{}{}", pattern.substr(0, open), pattern.substr(begin, end - begin), pattern.substr(braces->end + 1)),
        out));
    begin = end + 1;
  }
  return {};
}

std::vector<std::string> segments_of(std::string_view path) {
  std::vector<std::string> segments;
  while (true) {
    const std::size_t slash = path.find('/');
    segments.emplace_back(path.substr(0, slash));
    if (slash == std::string_view::npos) return segments;
    path.remove_prefix(slash + 1);
  }
}

std::size_t character_bytes(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
  return end - at;
}

// [a-z], [!a], at `at`; moves `at` behind it. Compared by bytes of one character; ranges are for ASCII.
bool class_matches(std::string_view pattern, std::size_t& at, std::string_view character) {
  std::size_t i = at + 1;
  const bool negated = i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^');
  if (negated) ++i;
  bool found = false;
  for (bool first = true; i < pattern.size() && (first || pattern[i] != ']'); first = false) {
    const std::size_t bytes = character_bytes(pattern, i);
    const std::string_view low = pattern.substr(i, bytes);
    i += bytes;
    if (i + 1 < pattern.size() && pattern[i] == '-' && pattern[i + 1] != ']') {
      const std::string_view high = pattern.substr(i + 1, character_bytes(pattern, i + 1));
      i += 1 + high.size();
      found |= low <= character && character <= high;
    } else {
      found |= low == character;
    }
  }
  at = i + 1;
  return found != negated;
}

// One segment. A star remembers where it could take one more character: no pattern needs more than one such place at a time.
bool segment_matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, star_text = 0;
  while (t < text.size()) {
    bool same = false;
    std::size_t next = p;
    const std::size_t bytes = character_bytes(text, t);
    if (p < pattern.size()) {
      if (pattern[p] == '*') {
        star = p++;
        star_text = t;
        continue;
      }
      if (pattern[p] == '?') {
        same = true;
        next = p + 1;
      } else if (pattern[p] == '[') {
        same = class_matches(pattern, next, text.substr(t, bytes));
      } else {
        const std::size_t literal = pattern[p] == '\\' && p + 1 < pattern.size() ? p + 1 : p;
        const std::size_t wide = character_bytes(pattern, literal);
        same = pattern.substr(literal, wide) == text.substr(t, bytes);
        next = literal + wide;
      }
    }
    if (same) {
      p = next;
      t += bytes;
    } else if (star != std::string_view::npos) {
      star_text += character_bytes(text, star_text);
      t = star_text;
      p = star + 1;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool brackets_close(std::string_view segment) {
  for (std::size_t i = 0; i < segment.size(); ++i) {
    if (segment[i] == '\\') {
      ++i;
    } else if (segment[i] == '[') {
      std::size_t inside = i + 1;
      if (inside < segment.size() && (segment[inside] == '!' || segment[inside] == '^')) ++inside;
      const std::size_t close = segment.find(']', inside + 1);
      if (close == std::string_view::npos) return false;
      i = close;
    }
  }
  return true;
}

// The same idea for whole segments, with ** for the star.
bool path_matches(const std::vector<std::string>& pattern, const std::vector<std::string>& path) {
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::size_t p = 0, t = 0, star = kNone, star_path = 0;
  while (t < path.size()) {
    if (p < pattern.size() && pattern[p] == "**") {
      star = p++;
      star_path = t;
    } else if (p < pattern.size() && segment_matches(pattern[p], path[t])) {
      ++p;
      ++t;
    } else if (star != kNone) {
      t = ++star_path;
      p = star + 1;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == "**") ++p;
  return p == pattern.size();
}

}  // namespace

Result<GlobPattern> GlobPattern::compile(std::string_view pattern) {
  if (pattern.empty()) return bad("the pattern is empty");
  if (pattern.size() > kMaxPatternBytes) return bad(fmt::format("the pattern is longer than {} bytes", kMaxPatternBytes));
  std::vector<std::string> expanded;
  HF_CHECK(expand(pattern, expanded));
  GlobPattern made;
  for (const std::string& each : expanded) {
    std::vector<std::string> segments = segments_of(each);
    for (const std::string& segment : segments)
      if (!brackets_close(segment)) return bad("the pattern has a [ without a ]");
    made.alternatives_.push_back(std::move(segments));
  }
  return made;
}

bool GlobPattern::matches(std::string_view path) const {
  const std::vector<std::string> segments = segments_of(path);
  return std::ranges::any_of(alternatives_, [&](const auto& pattern) { return path_matches(pattern, segments); });
}

Result<GlobResult> glob(Library& library, std::string_view pattern, std::string_view below, std::size_t limit) {
  HF_TRY(const GlobPattern compiled, GlobPattern::compile(pattern));
  WalkOptions options;
  std::size_t skip = 0;
  if (!below.empty()) {
    HF_TRY(const Place place, library.find(below));
    options.below = place.path;
    // The pattern is about the part below the folder.
    skip = place.is_folder && !place.path.empty() ? place.path.size() + 1 : 0;
  }
  GlobResult result;
  HF_CHECK(walk(library, options, [&](const WalkedFile& file) {
    const std::string& path = file.place.path;
    if (!compiled.matches(std::string_view(path).substr(std::min(skip, path.size())))) return true;
    if (result.paths.size() < limit)
      result.paths.push_back(path);
    else
      ++result.left_off;
    return true;
  }));
  return result;
}

}  // namespace holdfast::documents
