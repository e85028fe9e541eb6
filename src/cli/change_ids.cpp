#include "cli/change_ids.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace holdfast::cli {

namespace {

// "c_" alone says only what kind of id it is, and may be a folder's name.
constexpr std::size_t kShortestStart = 3;
// Of those that fit: enough to see how far to type on.
constexpr std::size_t kNamed = 10;

}  // namespace

Result<std::string> whole_id(const std::vector<documents::PendingChange>& changes, std::string_view typed) {
  std::set<std::string> fitting;
  for (const documents::PendingChange& change : changes) {
    if (change.id == typed) return change.id;
    if (typed.size() >= kShortestStart && change.id.starts_with(typed)) fitting.insert(change.id);
  }
  if (fitting.empty()) return std::string(typed);
  if (fitting.size() == 1) return *fitting.begin();
  const auto end = std::next(fitting.begin(), static_cast<std::ptrdiff_t>(std::min(fitting.size(), kNamed)));
  return fail(ErrorKind::ambiguous,
              fmt::format("{} fits {} changes: {}{}", typed, fitting.size(), fmt::join(fitting.begin(), end, ", "),
                          end == fitting.end() ? "" : ", ..."),
              "type more of it");
}

}  // namespace holdfast::cli
