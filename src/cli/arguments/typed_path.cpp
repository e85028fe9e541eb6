#include "cli/arguments/typed_path.h"

#include "base/files/at_or_below.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

namespace holdfast::cli {

namespace {

bool says_where_it_begins(const std::filesystem::path& typed) {
  return typed.is_absolute() || *typed.begin() == "." || *typed.begin() == "..";
}

std::optional<std::string> path_in(documents::Library& library, const std::string& real) {
  if (const auto place = library.place_of(real)) return place->path.empty() ? "." : place->path;
  const auto& folders = library.settings().folders;
  const bool holds_all =
      std::ranges::all_of(folders, [&](const documents::LibraryFolder& each) { return is_at_or_below(each.folder, real); });
  return holds_all ? std::optional<std::string>(".") : std::nullopt;
}

}  // namespace

Result<std::string> typed_path(documents::Library& library, const std::string& typed, const std::string& here) {
  if (typed.empty()) return typed;
  std::error_code error;
  std::filesystem::path real = std::filesystem::weakly_canonical(std::filesystem::path(here) / typed, error);
  // "sub/" ends in an empty part when there is no such folder.
  if (!real.has_filename()) real = real.parent_path();
  const auto from_here = error ? std::nullopt : path_in(library, real.string());
  if (from_here && std::filesystem::exists(real, error)) return *from_here;
  if (!says_where_it_begins(typed) && library.find(typed)) return typed;
  // A document that is only proposed is not there yet.
  if (from_here) return *from_here;
  if (!says_where_it_begins(typed)) return typed;
  return fail(ErrorKind::not_found, fmt::format("{} is not among the documents under review", typed),
              "holdfast review list shows what is pending; --documents names other folders", "no_such_document");
}

}  // namespace holdfast::cli
