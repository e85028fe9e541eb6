#include "kinds/transcripts/lines/each_line.h"

#include "jsonl/limits.h"
#include "kinds/transcripts/lines/byte_lines.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::transcripts {

Result<void> each_line(SessionSource& source, std::span<const Artifact> artifacts, std::string_view step, const TakeLine& take,
                       const Progress& progress) {
  std::uint64_t done = 0, total = 0;
  for (const Artifact& artifact : artifacts)
    if (is_line_file(artifact.kind)) total += artifact.size;
  for (const Artifact& artifact : artifacts) {
    if (!is_line_file(artifact.kind)) continue;
    const auto file = source.stored(artifact.path);
    if (!file && file.error().kind == ErrorKind::not_found) continue;
    if (!file) return fail(file.error());
    HF_TRY(auto lines, file->compressed ? lines_of_zstd(in_order(*file)) : Result<jsonl::LineReader>(lines_of(*file)));
    std::uint64_t told = done;
    while (true) {
      HF_TRY(const auto line, lines.next());
      if (!line) break;
      HF_CHECK(take(artifact, *line));
      done += line->bytes().size();
      // Records are small: asking once per read of the file is often enough.
      if (!progress || done - told < jsonl::kReadBytes) continue;
      told = done;
      if (!progress(step, done, std::max(done, total))) return fail(ErrorKind::cancelled, fmt::format("{}: stopped", step));
    }
  }
  return {};
}

}  // namespace holdfast::transcripts
