#pragma once

// Brings an index up to date with the files that a walk found. Only files whose size or time changed are read again, and only
// when their digest differs indexed again.

#include "base/result.h"
#include "search/folder/chunk_index.h"
#include "search/words/words.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::search {

// A file as somebody reads it.
struct FolderText {
  Digest digest{};  // the same for the same bytes
  std::string text;
  std::vector<ChunkPlace> chunks;  // of it; none when no search shall find it
  std::string title;               // of one without chunks: why it has none; may be empty
  bool lasting = true;             // false: to be read again also when the file looks the same
  std::string also;                // words that count for the first chunk besides its own, but not for its length
};

// Texts on their way into the index: their words counted, their postings collected and, whenever there are enough of them, sorted
// and compressed. One thread; several batches make a large index on several cores.
class IndexBatch final : private WordSink {
 public:
  explicit IndexBatch(ByteHash::Seed seed) : hash_(seed) {}

  // Chunks are numbered in the order in which they come.
  void add(const FolderText& text);

  // Of all texts; `file` is for the caller to set.
  std::vector<IndexedChunk> chunks;
  std::vector<Postings> finish();

 private:
  // Postings kept before they are compressed: 16 MB, and as much again while they are sorted.
  static constexpr std::size_t kRunLength = 1 << 20;
  static constexpr std::size_t kFewWords = 4096;

  void word(std::string_view folded) override;
  void count_word(std::uint64_t key, std::uint32_t count);
  void grow();
  void end_run();

  const ByteHash hash_;
  // The words of the chunk in hand: open addressing, a key of 0 is free, and half of them are.
  std::vector<std::uint64_t> keys_ = std::vector<std::uint64_t>(2 * kFewWords);
  std::vector<std::uint32_t> counts_ = std::vector<std::uint32_t>(2 * kFewWords);
  std::vector<std::uint32_t> used_;
  std::uint32_t length_ = 0;

  std::vector<Posting> run_, scratch_;
  std::vector<Postings> runs_;
};

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
