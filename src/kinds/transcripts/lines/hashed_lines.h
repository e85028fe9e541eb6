#pragma once

// The lines of a file and its hash in one go: of large files a thread of its own reads and hashes, a little ahead of whoever
// looks at the lines. What is hashed is what is seen, also when the file changes meanwhile.

#include "base/crypto/hash.h"
#include "base/result.h"
#include "jsonl/line_reader.h"
#include "reading/byte_source.h"

#include <functional>

namespace holdfast::transcripts {

// Lines as jsonl::LineReader gives them. Views live during the call. Errors: conflict (there are fewer bytes than `bytes.size`),
// those of reading and of `take`.
Result<Digest> each_hashed_line(const reading::ByteSource& bytes, const std::function<Result<void>(const jsonl::Line&)>& take);

}  // namespace holdfast::transcripts
