#include "kinds/documents/find/glob.h"

#include "kinds/documents/files/walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace holdfast::documents {
namespace {

// {a,b}{c,d}… multiplies; a pattern a person writes has a handful.
constexpr std::size_t kMaxAlternatives = 256;
constexpr std::size_t kMaxGlobBytes = 4096;

std::unexpected<Error> bad(std::string message) {
  return fail(ErrorKind::invalid, std::move(message), "Write * ? ** [abc] {a,b}; a \\ makes the next character an ordinary one.",
              "bad_argument");
}

// Behind the set that opens at `at`; nothing when it does not close in its segment.
std::optional<std::size_t> behind_set(std::string_view pattern, std::size_t at) {
  std::size_t inside = at + 1;
  if (inside < pattern.size() && (pattern[inside] == '!' || pattern[inside] == '^')) ++inside;
  for (std::size_t i = inside; i < pattern.size() && pattern[i] != '/'; ++i) {
    if (pattern[i] == '\\')
      ++i;
    else if (pattern[i] == ']' && i != inside)
      return i + 1;
    else if (pattern.substr(i).starts_with("[:"))
      i = std::min(pattern.find(":]", i), pattern.size() - 1) + 1;
  }
  return std::nullopt;
}

struct Braces {
  std::size_t begin = 0, end = 0;   // of what is inside
  std::vector<std::size_t> commas;  // of its own, not of inner ones
};

// The first group; nothing when there is none. A bracket or an escape hides what is inside of it.
Result<std::optional<Braces>> first_braces(std::string_view pattern) {
  Braces found;
  int depth = 0;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\') {
      if (++i == pattern.size()) return bad("the pattern ends with a \\");
    } else if (c == '[') {
      const auto behind = behind_set(pattern, i);
      if (!behind) return bad(fmt::format("the pattern has a [ without a ], at character {}", i + 1));
      i = *behind - 1;
    } else if (c == '{') {
      if (depth++ == 0) found.begin = i + 1;
    } else if (c == ',' && depth == 1) {
      found.commas.push_back(i);
    } else if (c == '}') {
      if (depth == 0) return bad(fmt::format("the pattern has a }} without a {{, at character {}", i + 1));
      if (--depth > 0) continue;
      found.end = i;
      return found;
    }
  }
  if (depth > 0) return bad(fmt::format("the pattern has a {{ without a }}, at character {}", found.begin));
  return std::optional<Braces>();
}

// A wildcard does not know braces, so an escaped one is plain there.
Result<void> expand(std::string_view pattern, std::vector<std::string>& out) {
  HF_TRY(auto braces, first_braces(pattern));
  if (!braces) {
    if (out.size() == kMaxAlternatives) return bad(fmt::format("the pattern has more than {} alternatives", kMaxAlternatives));
    out.emplace_back(pattern);
    return {};
  }
  braces->commas.push_back(braces->end);
  std::size_t begin = braces->begin;
  for (const std::size_t end : braces->commas) {
    HF_CHECK(expand(fmt::format("{}{}{}", pattern.substr(0, braces->begin - 1), pattern.substr(begin, end - begin),
                                pattern.substr(braces->end + 1)),
                    out));
    begin = end + 1;
  }
  return {};
}

}  // namespace

Result<GlobPattern> GlobPattern::compile(std::string_view pattern) {
  if (pattern.empty()) return bad("the pattern is empty");
  if (pattern.size() > kMaxGlobBytes) return bad(fmt::format("the pattern is longer than {} bytes", kMaxGlobBytes));
  std::vector<std::string> expanded;
  HF_CHECK(expand(pattern, expanded));
  GlobPattern made;
  for (const std::string& each : expanded) {
    std::string_view plain = each;
    while (plain.starts_with("./")) plain.remove_prefix(2);
    made.alternatives_.push_back(compile_path_wildcard(plain));
  }
  return made;
}

bool GlobPattern::matches(std::string_view path) const {
  return std::ranges::any_of(alternatives_, [path](const auto& pattern) { return matches_path(pattern, path); });
}

Result<std::string> glob(Library& library, const GlobRequest& request) {
  HF_TRY(const GlobPattern pattern, GlobPattern::compile(request.pattern));
  WalkOptions options;
  options.stamps = false;
  options.cancelled = request.cancelled;
  std::size_t skip = 0;
  if (!request.path.empty()) {
    HF_TRY(const Place place, library.find(request.path));
    if (!place.is_folder)
      return fail(ErrorKind::invalid, place.path + " is a file, not a folder", "Leave path out, or name a folder.",
                  "bad_argument");
    options.below = place.path;
    skip = place.path.empty() ? 0 : place.path.size() + 1;
  }
  HF_TRY(const auto files, walk(library, options));
  std::string text;
  std::size_t count = 0;
  for (const WalkedFile& file : files) {
    const std::string& path = file.place.path;
    if (!pattern.matches(std::string_view(path).substr(skip)) || ++count > kMaxGlobPaths) continue;
    if (!text.empty()) text += '\n';
    text += path;
  }
  if (count == 0) return "No matches found.";
  if (count > kMaxGlobPaths)
    text += fmt::format("\n[{} more were left off; use a narrower pattern, or path]", count - kMaxGlobPaths);
  return text;
}

}  // namespace holdfast::documents
