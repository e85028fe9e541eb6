#include "kinds/transcripts/passages/source_lines.h"

#include "kinds/transcripts/lines/byte_lines.h"

namespace holdfast::transcripts {

using search::Source;

Result<SourceLines> SourceLines::open(std::shared_ptr<const Fd> file, session::Blobs* guard, const Source& source,
                                      const SourceName& name, std::uint64_t from, std::uint64_t end) {
  if (!file && !guard) return fail(ErrorKind::not_found, source.key + " is gone");
  if (!file) return of_guard(*guard, source, name, from);
  SourceLines opened;
  opened.file_ = std::move(file);
  if (name.path.ends_with(".zst")) {
    HF_TRY(auto lines, lines_of_zstd(in_order(*opened.file_)));
    opened.lines_ = std::move(lines);
    opened.skip_ = from;
  } else {
    opened.lines_ = jsonl::LineReader::of_range(opened.file_->get(), from, end);
  }
  return opened;
}

Result<std::optional<jsonl::Line>> SourceLines::next() {
  for (;;) {
    HF_TRY(auto line, lines_->next());
    if (!line) return line;
    line->offset += base_;
    if (line->offset >= skip_) return line;
  }
}

Result<SourceLines> SourceLines::of_guard(session::Blobs& guard, const Source& source, const SourceName& name,
                                          std::uint64_t from) {
  HF_TRY(auto kept, guard.file(source.key));
  if (!kept) return fail(ErrorKind::not_found, source.key + " is neither there nor in the guard");
  if (name.path.ends_with(".zst"))
    return fail(ErrorKind::unavailable, source.key + " is compressed, and only the guard has it", "restore the session");
  SourceLines opened;
  opened.base_ = from;
  opened.lines_ = jsonl::LineReader::of_source(
      [&guard, kept = *std::move(kept), at = from](char* to, std::size_t room) mutable -> Result<std::size_t> {
        HF_TRY(const std::size_t count, guard.read(kept, at, {to, room}));
        at += count;
        return count;
      });
  return opened;
}

}  // namespace holdfast::transcripts
