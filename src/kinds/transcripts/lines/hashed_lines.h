#pragma once

// The lines of a file and its hash in one go: of large files a thread of its own reads and hashes, a little ahead of whoever
// looks at the lines. What is hashed is what is seen, also when the file changes meanwhile.

#include "base/crypto/hash.h"
#include "base/result.h"
#include "jsonl/line_reader.h"

#include <functional>

namespace holdfast::transcripts {

// Lines as jsonl::LineReader gives them, counted from `from`. Views live during the call. Errors: conflict (the file is
// shorter than `to`), io, those of `take`.
Result<Digest> each_hashed_line(int fd, std::uint64_t from, std::uint64_t to,
                                const std::function<Result<void>(const jsonl::Line&)>& take);

}  // namespace holdfast::transcripts
