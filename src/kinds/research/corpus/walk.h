#pragma once

// The files below a folder that may be documents, in the order of the bytes of their paths.
//
// Left out: what the globs and the .gitignore files on the way exclude, the folders in which programs keep what they made or
// fetched (.git, node_modules, build, …), symbolic links (what they point to inside the folder is found under its own name, and
// what is outside is none of it), everything that is not a regular file, and files longer than kMaxFileBytes.
// Folders are opened below the descriptor of their parent, so a folder that is swapped for a link during the walk is not
// followed.

#include "base/files/fd.h"
#include "base/result.h"
#include "kinds/research/corpus/left_out.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace holdfast::research {

inline constexpr std::size_t kMaxWalkDepth = 64;         // a deeper tree is a loop or an attack
inline constexpr std::size_t kMaxWalkFiles = 1'000'000;  // about 150 MB of what is known of them
// Index and memory follow the bytes of text (docs/benchmarks.md): about a quarter of it.
inline constexpr std::uint64_t kMaxWalkBytes = 2ULL << 30;

struct WalkedFile {
  std::string path;  // relative
  std::uint64_t size = 0;
  std::int64_t modified_ns = 0;
};

struct Walked {
  std::vector<WalkedFile> files;
  LeftOut skipped;  // too long, beyond the limits above, or not to be opened
};

// Errors: io (the root itself), cancelled.
Result<Walked> walk(const Fd& root, const std::vector<std::string>& ignore, const std::function<bool()>& cancelled);

}  // namespace holdfast::research
