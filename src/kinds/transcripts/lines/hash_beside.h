#pragma once

// A hash of bytes that arrive one after another, computed on a thread of its own while the caller goes on.
//
// Bytes are gathered into blocks, so that many small pieces cost no more than one large one. The thread begins with the first
// full block: small files have none. Called by one thread at a time.

#include "base/crypto/hash.h"
#include "base/result.h"
#include "jsonl/line_reader.h"
#include "reading/reading.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace holdfast::transcripts {

// A source of bytes that works on a thread of its own, a few blocks ahead of its reader: decompression beside everything else.

// Below this a thread costs more than it gives.
inline constexpr std::uint64_t kReadAheadFrom = 1024 * 1024;

class ReadAhead {
 public:
  using Source = std::function<Result<std::size_t>(char* to, std::size_t room)>;  // 0: the end

  // `source` is called by the thread alone, and not after an error or the end.
  explicit ReadAhead(Source source);
  ~ReadAhead();  // stops the thread and waits for it
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  // One thread at a time. What the source said, in its order, its error included.
  Result<std::size_t> read(char* to, std::size_t room);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The lines of bytes and their hash in one go: of many a thread of its own reads and hashes, a little ahead of whoever looks at
// the lines. What is hashed is what is seen, also when a file changes meanwhile.
//
// Lines as jsonl::LineReader gives them. Views live during the call. Errors: conflict (there are fewer bytes than `bytes.size`),
// those of reading and of `take`.
Result<Digest> each_hashed_line(const reading::ByteSource& bytes, const std::function<Result<void>(const jsonl::Line&)>& take);

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
