#pragma once

// A hash of bytes that arrive one after another, computed on a thread of its own while the caller goes on.
//
// Bytes are gathered into blocks, so that many small pieces cost no more than one large one. The thread begins with the first
// full block: small files have none. Called by one thread at a time.

#include "base/crypto/hash.h"
#include "base/result.h"
#include "jsonl/line_reader.h"

#include <functional>

namespace holdfast::transcripts {

// The lines of a file and its hash in one go: of large files a thread of its own reads and hashes, a little ahead of whoever
// looks at the lines. What is hashed is what is seen, also when the file changes meanwhile.

// Lines as jsonl::LineReader gives them, counted from `from`. Views live during the call. Errors: conflict (the file is
// shorter than `to`), io, those of `take`.
Result<Digest> each_hashed_line(int fd, std::uint64_t from, std::uint64_t to,
                                const std::function<Result<void>(const jsonl::Line&)>& take);

class HashBeside {
 public:
  HashBeside();
  ~HashBeside();
  HashBeside(const HashBeside&) = delete;
  HashBeside& operator=(const HashBeside&) = delete;

  void add(std::string_view bytes);
  Digest finish();  // waits for the thread, and begins anew

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace holdfast::transcripts
