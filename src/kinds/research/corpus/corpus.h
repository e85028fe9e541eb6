#pragma once

// Documents below some folders, searchable by BM25 (threads-and-research §10, `local`).
//
// Files are read as text (md, txt, html, json, jsonl, source files; PDF where pdftotext is; UTF-8, UTF-16 or Latin-1; at most
// kMaxFileBytes; nothing that .gitignore-like globs exclude; no symbolic link that leaves the root) and cut into chunks of whole
// lines. What cannot be read is skipped and said. The index is kept in memory and, when a cache folder is given, on disk, and is
// brought up to date before a search: only files whose size or modification time changed are read again, and only when their hash
// differs indexed again. Ties are ordered by path and line, so the same corpus and query give the same answer.
//
// Thread-safe. Errors: io (a root cannot be read), corrupt never: a damaged cache is built anew.

#include "base/result.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::research {

inline constexpr std::size_t kMaxFileBytes = 4 * 1024 * 1024;

struct CorpusRoot {
  std::string name;                 // in corpus://<name>/…; unique
  std::string folder;               // absolute
  std::vector<std::string> ignore;  // globs below it, beside the built-in ones
};

struct Passage {
  std::string uri;  // corpus://<root>/<relative path>#L10-L42
  std::string title;
  std::string path;  // relative
  std::int64_t first_line = 0, last_line = 0;
  std::string text;
  double score = 0;  // BM25, not normalised
  double share = 0;  // of the most that any text could score for this query: 0..1
};

// Files that no search will find, and why: how many, and the first of them by their paths, for a person to read.
class LeftOut {
 public:
  void add(const std::string& path, const std::string& why) { add(path, why, 1); }
  // Of a folder, whose name stands before the paths.
  void add(const std::string& folder, const LeftOut& others);

  std::size_t count() const { return count_; }
  // "3 files … are left out: notes/a.bin (binary); notes/big.txt (longer than 4 MiB); …". Empty when none are.
  std::string sentence() const;

 private:
  static constexpr std::size_t kNamed = 10;  // more than anybody reads in a warning
  void add(const std::string& path, const std::string& why, std::size_t count);

  std::size_t count_ = 0;
  std::map<std::string, std::string> named_;  // by path
};

struct CorpusUpdate {
  std::size_t files = 0, read = 0, indexed = 0, skipped = 0;
  std::uint64_t bytes = 0;
  LeftOut left_out;  // what was skipped, and why; of empty files nothing is said
};

class Corpus {
 public:
  virtual ~Corpus() = default;
  static Result<std::unique_ptr<Corpus>> open(std::vector<CorpusRoot> roots, std::string cache_folder);

  // on_progress: bytes read so far, bytes known; may be empty. cancelled: may be empty.
  virtual Result<CorpusUpdate> update(const std::function<void(std::uint64_t done, std::uint64_t total)>& on_progress,
                                      const std::function<bool()>& cancelled) = 0;
  // Updates first when nothing was indexed yet. A chunk whose file has changed since is left out.
  virtual Result<std::vector<Passage>> search(std::string_view query, std::size_t limit) = 0;
};

}  // namespace holdfast::research
