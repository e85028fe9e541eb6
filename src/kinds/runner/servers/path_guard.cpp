#include "kinds/runner/servers/path_guard.h"

#include "base/files/at_or_below.h"
#include "base/text/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace holdfast::runner {

namespace {

constexpr std::size_t kLongestPath = 4096;  // what Linux takes; longer is the content of something
constexpr int kDeepest = 16;                // no tool nests paths deeper

class Guard {
 public:
  Guard(const RootsSnapshot& roots, const PathRules& rules) : roots_(roots), rules_(rules) {}

  std::optional<Error> judge(const Json& value, int depth) const {
    if (depth > kDeepest) return std::nullopt;
    if (value.is_string()) return judge(view(value.as_string()));
    if (value.is_array())
      for (const Json& each : value.as_array())
        if (auto blocked = judge(each, depth + 1)) return blocked;
    if (value.is_object())
      for (const auto& [key, each] : value.as_object())
        if (auto blocked = judge(each, depth + 1)) return blocked;
    return std::nullopt;
  }

 private:
  std::optional<Error> judge(std::string_view text) const {
    if (trim(text).empty() || text.size() > kLongestPath) return std::nullopt;
    const bool alone =
        text.starts_with('/') || text == "~" || text.starts_with("~/") || to_ascii_lower(text).starts_with("file://");
    if (alone) return judge_seen_from(rules_.base, text);
    for (const Root& root : roots_.roots)
      if (auto blocked = judge_seen_from(root.folder.path, text)) return blocked;
    return std::nullopt;
  }

  std::optional<Error> judge_seen_from(const std::string& base, std::string_view text) const {
    PathRules rules = rules_;
    rules.base = base;
    const auto path = absolute_folder(text, rules);
    if (!path) return std::nullopt;  // no path; the server may make of it what it likes
    // By its name, and by where it leads: a link is a name, too.
    for (const std::string& name : {std::filesystem::path(*path).lexically_normal().string(), real_as_far_as_possible(*path)}) {
      const auto why = forbidden_place(name, rules_);
      if (!why || why->code == "root_denied") continue;
      const bool given =
          std::ranges::any_of(roots_.roots, [&](const Root& root) { return is_at_or_below(name, root.folder.path); });
      if (why->code == "private_path" || given)
        return make_error(ErrorKind::refused, fmt::format("the tool was not called: {}", why->message), "work without it",
                          "blocked_path");
    }
    return std::nullopt;
  }

  const RootsSnapshot& roots_;
  const PathRules& rules_;
};

}  // namespace

std::optional<Error> blocked_argument(const JsonObject& arguments, const RootsSnapshot& roots, const PathRules& rules) {
  const Guard guard(roots, rules);
  for (const auto& [key, value] : arguments)
    if (auto blocked = guard.judge(value, 0)) return blocked;
  return std::nullopt;
}

}  // namespace holdfast::runner
