#include "kinds/documents/find/near_names.h"

#include "base/text/text.h"
#include "kinds/documents/files/path_name.h"
#include "kinds/documents/files/walk.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace holdfast::documents {
namespace {

// A walk of that many files takes a few milliseconds; a miss is not worth more.
constexpr std::size_t kMaxLookedAt = 10'000;
constexpr std::size_t kMaxNameBytes = 128;  // of names whose letters are compared: the work grows with the square

// How many letters have to be added, removed or replaced.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

std::string_view stem_of(std::string_view name) {
  return name.substr(0, name.rfind('.'));
}

// 0 is the same name elsewhere, then the same but for its ending, then by letters; nothing when they are too different.
std::optional<std::size_t> farness(std::string_view wanted, std::string_view name) {
  if (name == wanted) return 0;
  if (stem_of(name) == stem_of(wanted)) return 1;
  const std::size_t longer = std::max(name.size(), wanted.size()), shorter = std::min(name.size(), wanted.size());
  const std::size_t allowed = std::max<std::size_t>(1, wanted.size() / 4);
  if (longer > kMaxNameBytes || longer - shorter > allowed) return std::nullopt;
  const std::size_t letters = distance(wanted, name);
  return letters <= allowed ? std::optional(1 + letters) : std::nullopt;
}

}  // namespace

std::vector<std::string> near_names(Library& library, std::string_view path) {
  const std::string wanted = to_ascii_lower(name_of_path(path));
  if (wanted.empty()) return {};
  WalkOptions options;
  options.stamps = false;
  options.max_files = kMaxLookedAt;
  const auto files = walk(library, options);
  if (!files) return {};
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const WalkedFile& file : *files)
    if (const auto far = farness(wanted, to_ascii_lower(name_of_path(file.place.relative))))
      near.emplace_back(*far, file.place.path);
  std::ranges::sort(near);
  std::vector<std::string> names;
  for (auto& [far, name] : near)
    if (names.size() < kMaxNearNames) names.push_back(std::move(name));
  return names;
}

}  // namespace holdfast::documents
