#include "kinds/transcripts/archive/archive_tree.h"

#include <set>

namespace holdfast::transcripts {

Result<void> check_tree(const Inventory& contents) {
  std::set<std::string_view> files;
  for (const Artifact& artifact : contents.artifacts) files.insert(artifact.path);
  const auto check = [&](std::string_view folder) -> Result<void> {
    if (!files.contains(folder)) return {};
    return fail(ErrorKind::corrupt, "the archive has a file and a folder of one name: " + std::string(folder));
  };
  const auto check_above = [&](std::string_view path) -> Result<void> {
    for (std::size_t slash = path.rfind('/'); slash != path.npos && slash > 0; slash = path.rfind('/', slash - 1))
      HF_CHECK(check(path.substr(0, slash)));
    return {};
  };
  for (const Artifact& artifact : contents.artifacts) HF_CHECK(check_above(artifact.path));
  for (const ArtifactFolder& folder : contents.folders) {
    HF_CHECK(check(folder.path));
    HF_CHECK(check_above(folder.path));
  }
  return {};
}

}  // namespace holdfast::transcripts
