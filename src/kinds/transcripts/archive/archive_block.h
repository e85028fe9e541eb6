#pragma once

// The extension block of an archive as read: what every file must be in the end (docs/formats/archive.md). Internal to the
// archive reader.

#include "base/crypto/hash.h"
#include "jsonl/pull.h"
#include "kinds/transcripts/archive/archive_reader.h"
#include "kinds/transcripts/archive/archive_survey.h"

#include <map>
#include <set>

namespace holdfast::transcripts {

// Irregular lines and tails that a reader holds at once; our writer stays below kMaxIrregularBytes.
inline constexpr std::size_t kMaxBlockLineBytes = 4 * kMaxIrregularBytes;

struct ArchiveBlock {
  std::string product, project_folder;
  bool redacted = false;
  std::vector<std::string> slugs;
  struct File {
    Artifact artifact;
    std::string sha256;  // lower case hex
  };
  std::vector<File> files;  // in their order
  std::map<std::string, std::size_t, std::less<>> by_path;
  std::vector<ArtifactFolder> folders;
  std::map<std::string, std::vector<IrregularLine>, std::less<>> irregular;  // lines ascending
  std::map<std::string, std::string, std::less<>> tail;
  std::set<std::string, std::less<>> crlf;

  const File* main() const;
};

// Reads the members in front of `raw` and `extra_files`. The parser then stands before the value of the one that is returned;
// nullopt: there was neither, and the block is over. Errors: corrupt (damaged, a path that is no part of this session, a path
// twice), too_large.
Result<std::optional<std::string>> read_block(jsonl::PullParser& in, std::string_view session_id, const ArchiveLimits& limits,
                                              ArchiveBlock& block, std::vector<std::string>& warnings);

}  // namespace holdfast::transcripts
