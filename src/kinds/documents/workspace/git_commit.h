#pragma once

// Git beside the documents (document-review §7, design 8.29): what a person accepted can be committed in that person's name, and
// nothing is accepted in the middle of a merge.
//
// Git is run as a program of its own, so that the person's hooks, filters and signatures work as always. A commit holds one file
// as it stands on disk; what else is staged stays staged. So that no pending markup gets into the history, the caller commits a
// file only when nothing is pending in it any more. Blocking; any thread.

#include "base/result.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

// The git work tree that a folder lies in: the nearest folder at or above it that has a `.git`.
std::optional<std::string> find_work_tree(const std::string& folder);

// Markers of a merge that nobody resolved: in the text, or git still knows the file as unmerged. Without a work tree, or without
// git, the text alone says it.
Result<bool> has_merge_markers(const std::string& folder, const std::string& relative, std::string_view text);

struct CommitRequest {
  std::string folder;                            // absolute; of the library, at or below the root of a work tree
  std::string relative;                          // of the file, below that folder; it may be gone: then its removal is committed
  std::string name, email;                       // of the reviewer, author and committer both; empty: as git is configured
  std::vector<std::string> proposers, sessions;  // trailers: labels of authors, short hashes of handles
  std::size_t changes = 0;
};

// The hash of the commit; empty when git has the file like this already. Errors: refused (no work tree, ignored or unmerged file,
// a hook said no: with its words; nothing is committed and the index is as before), those of net::run_child.
Result<std::string> commit_file(const CommitRequest& request);

}  // namespace holdfast::documents
