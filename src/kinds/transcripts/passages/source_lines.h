#pragma once

// The lines of one source, wherever its bytes are: in a file, a compressed one, or the guard. Inside of passage_sources.h.

#include "jsonl/line_reader.h"
#include "kinds/transcripts/passages/passage_sources.h"
#include "session/blobs.h"

#include <optional>

namespace holdfast::transcripts {

class SourceLines {
 public:
  // Lines that begin at `from` or behind it. Nothing behind `end` is read but where a source has no place to seek to. The file
  // (of the source's path) is opened already, or missing: then the guard has it.
  static Result<SourceLines> open(std::shared_ptr<const Fd> file, session::Blobs* guard, const search::Source& source,
                                  const SourceName& name, std::uint64_t from, std::uint64_t end);

  // Offsets are those of the source.
  Result<std::optional<jsonl::Line>> next();

 private:
  static Result<SourceLines> of_guard(session::Blobs& guard, const search::Source& source, const SourceName& name,
                                      std::uint64_t from);

  std::shared_ptr<const Fd> file_;
  std::optional<jsonl::LineReader> lines_;
  std::uint64_t base_ = 0;  // of the stream in the source
  std::uint64_t skip_ = 0;  // lines before it are not wanted
};

}  // namespace holdfast::transcripts
