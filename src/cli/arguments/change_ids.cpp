#include "cli/arguments/change_ids.h"

#include <fmt/format.h>

#include <map>
#include <ranges>

namespace holdfast::cli {

namespace {

// "c_" alone says only what kind of id it is, and may be a folder's name.
constexpr std::size_t kShortestStart = 3;
// Of those that fit: enough to see how far to type on.
constexpr std::size_t kNamed = 10;

}  // namespace

Result<std::string> whole_id(const std::vector<documents::PendingChange>& changes, std::string_view typed) {
  std::map<std::string, std::string> fitting;  // and the document
  for (const documents::PendingChange& change : changes) {
    if (change.id == typed) return change.id;
    if (typed.size() >= kShortestStart && change.id.starts_with(typed)) fitting.emplace(change.id, change.path);
  }
  if (fitting.empty()) return std::string(typed);
  if (fitting.size() == 1) return fitting.begin()->first;
  std::string named;
  for (const auto& [id, path] : fitting | std::views::take(kNamed))
    named += fmt::format("{}{} in {}", named.empty() ? "" : ", ", id, path);
  return fail(ErrorKind::ambiguous,
              fmt::format("{} fits {} changes: {}{}", typed, fitting.size(), named, fitting.size() > kNamed ? ", ..." : ""),
              "type more of it");
}

}  // namespace holdfast::cli
