#pragma once

// Brings an index up to date with the files that a walk found. Only files whose size or time changed are read again, and only
// when their digest differs indexed again.

#include "base/result.h"
#include "search/folder/chunk_index.h"
#include "search/folder/index_batch.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::search {

struct FolderFile {
  std::uint32_t root = 0;
  std::string path;
  std::uint64_t size = 0;
  std::int64_t modified_ns = 0;
};

struct IndexUpdate {
  // Reads the file at a place of `files`; an error is a file that is gone. One is made for each thread.
  using Read = std::function<Result<FolderText>(std::size_t file)>;
  std::function<Read()> make_reader;
  // Whether a file is read again that looks as it did; may be empty.
  std::function<bool(std::size_t file, const IndexedFile& before)> doubted;
  // On the caller's thread; both may be empty.
  std::function<void(std::uint64_t done, std::uint64_t total)> on_progress;  // bytes
  std::function<bool()> cancelled;
};

struct UpdateOutcome {
  std::size_t read = 0, indexed = 0;  // files
  std::uint64_t indexed_bytes = 0;
  std::vector<std::size_t> gone;      // of `files`: could not be read, and are not in the index
  bool lost_text = false;             // the old index has texts that are not there any more
  std::unique_ptr<ChunkIndex> index;  // null when the old one still holds
};

// files: by root, then by the bytes of the path. Errors: cancelled.
Result<UpdateOutcome> update_index(const ChunkIndex& old, const std::vector<FolderFile>& files, const IndexUpdate& how);

}  // namespace holdfast::search
