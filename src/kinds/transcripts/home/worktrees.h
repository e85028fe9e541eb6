#pragma once

// The working trees of a git repository: to its owner they are one project, and the client resumes sessions across them
// (on-disk §8, transcript-archive §10).

#include <string>
#include <vector>

namespace holdfast::transcripts {

// More than people keep; a broken repository must not make a list slow.
inline constexpr std::size_t kMaxWorktrees = 200;

// Roots of the repository's main tree and its linked trees, sorted; empty when the path (an absolute one) lies in no repository.
// Reads git's own small files and runs nothing; what cannot be read is left out. Trees that are gone from disk are named, their
// sessions may not be.
std::vector<std::string> worktrees_of(const std::string& path);

}  // namespace holdfast::transcripts
