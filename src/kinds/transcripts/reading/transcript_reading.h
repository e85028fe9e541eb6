#pragma once

// A transcript of Claude Code or Codex, opened to be read in windows (reading/reading.h).
//
// Records become turns: the blocks of one answer are gathered, every result stands with its call, subagents hang below the call
// that began them, what is not on the chosen way through the tree is left out and offered where it leaves. Memory: the index, and
// a window. A window that is asked for from a line of another way shows that way: who follows a link wants what it leads to.
// Torn lines, NUL, bytes that are not UTF-8 and records nobody knows are turns like others.
//
// One thread at a time; several readings of one transcript share its index through the cache and wait for each other.

#include "base/run/recent.h"
#include "kinds/transcripts/lines/branches.h"
#include "kinds/transcripts/source/session_source.h"
#include "reading/reading.h"

#include <memory>
#include <mutex>
#include <string>

namespace holdfast::transcripts {

// The indexes of transcripts that are being read, so that only the first page of a session pays for the pass over its file.
//
// Any thread; what it hands out is used under its lock.

struct CachedIndex {
  explicit CachedIndex(LineIndex::Product product) : index(product) {}

  std::mutex mutex;  // of all below
  LineIndex index;
  std::string incarnation;
  LineOrder order;                // of the first `ordered_bytes` of the file
  std::optional<Branch> resumed;  // the way a client would resume, of as much
  std::uint64_t ordered_bytes = 0;
};

class ReadingCache {
 public:
  // An index takes some 30 bytes a line: a handful of the longest sessions stay below 256 MB.
  static constexpr std::size_t kMostIndexes = 8;

  // For the transcript of this name (its path or key, for good); new or as it was left. The caller locks it and brings it up to
  // date.
  std::shared_ptr<CachedIndex> at(const std::string& name, LineIndex::Product product) {
    return indexes_.find_or_make(name, [&] { return std::make_shared<CachedIndex>(product); });
  }
  // A new one, in the place of one that no longer fits its file.
  std::shared_ptr<CachedIndex> anew(const std::string& name, LineIndex::Product product) {
    indexes_.erase(name);
    return at(name, product);
  }

 private:
  Recent<std::string, std::shared_ptr<CachedIndex>> indexes_{kMostIndexes};
};

struct ReadingOptions {
  std::optional<std::uint64_t> branch;  // the way through this line, from 1; absent, or no line: the one a client would resume
  bool all_branches = false;            // every line, in the order of the file
};

// The session, wherever it lies, with its heading from the ends of its transcript. One that is not on disk says so, how it is put
// back, and what of it is known to be lost; where bytes are lost the reading has damaged lines. The cache may be nullptr, and
// must outlive the reading. Errors: not_found, io, too_large.
Result<std::unique_ptr<reading::Reading>> open_transcript(std::shared_ptr<SessionSource> source, const ReadingOptions& options,
                                                          ReadingCache* cache);

// What stands above a transcript, from what a list shows of it.
reading::Heading heading_of(const SessionLine& line);

}  // namespace holdfast::transcripts
