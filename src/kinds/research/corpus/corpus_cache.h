#pragma once

// The index on disk, so that a new process need not read the documents again (docs/formats/corpus-index.md).
//
// It is a cache: whatever is wrong with it (damage, another version, other roots) means that there is none. Its bytes are not
// trusted, though the file is ours (0600): all that reading could stumble over is checked first. Paths in it are resolved below
// the roots of the settings when they are used, like those of a walk.

#include "base/result.h"
#include "search/folder/chunk_index.h"

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::research {

// roots: what the index was made of, compared byte for byte.
std::string write_index(const search::ChunkIndex& index, std::string_view roots);
// Appends the checksum that read_index asks for.
void seal_index(std::string& bytes);
std::optional<search::ChunkIndex> read_index(std::string_view bytes, std::string_view roots, std::uint32_t root_count);

// One file for each set of roots in the folder, named by a digest of `roots`.
class CorpusCache {
 public:
  CorpusCache(std::string folder, std::string roots, std::uint32_t root_count);

  std::optional<search::ChunkIndex> load() const;
  // Removes what was kept longest ago beyond kMaxCaches. Errors: those of replace_file.
  Result<void> save(const search::ChunkIndex& index) const;

 private:
  // A set of roots is a project, or what one run brought along; an index takes a quarter of the documents' bytes.
  static constexpr std::size_t kMaxCaches = 8;
  void drop_old() const;

  std::string folder_, roots_, path_;
  std::uint32_t root_count_;
};

}  // namespace holdfast::research
