#include "kinds/transcripts/lines/each_line.h"

#include "jsonl/tail.h"
#include "kinds/transcripts/home/home.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::transcripts {

Result<void> each_line(const Home& home, std::span<const Artifact> artifacts, std::string_view step, const TakeLine& take,
                       const Progress& progress) {
  std::uint64_t done = 0, total = 0;
  for (const Artifact& artifact : artifacts)
    if (is_line_file(artifact.kind)) total += artifact.size;
  for (const Artifact& artifact : artifacts) {
    if (!is_line_file(artifact.kind)) continue;
    auto fd = open_plain(home, artifact.path);
    if (!fd && fd.error().kind == ErrorKind::not_found) continue;
    if (!fd) return fail(std::move(fd).error());
    HF_TRY(const auto file, jsonl::LiveFile::of(*std::move(fd)));
    auto lines = file.lines();
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
