#include "kinds/transcripts/guard/kept_reading.h"

#include "kinds/transcripts/reading/session_info.h"

#include <fmt/format.h>

namespace holdfast::transcripts {

Result<std::unique_ptr<reading::Reading>> open_kept_transcript(session::Blobs& guard, const KeptTranscript& kept,
                                                               const ReadingOptions& options, ReadingCache* cache,
                                                               const KeptVersion& version) {
  HF_TRY(const session::KeptFile transcript, chosen_version(guard, kept.session.transcript, version, true));
  reading::Heading heading = heading_of(kept.line);
  heading.resume_command = restore_command(kept.line.session);
  heading.details.emplace_back("kept",
                               fmt::format("in the guard since {}, version {}", iso8601(transcript.kept_at), transcript.version));
  HF_TRY(const auto lost, guard.gaps(transcript));
  if (!lost.empty()) {
    std::uint64_t bytes = 0;
    for (const session::Blobs::Gap& gap : lost) bytes += gap.end - gap.begin;
    heading.details.emplace_back(
        "damaged", fmt::format("{} of {} bytes are lost, from byte {} on", bytes, transcript.size, lost.front().begin));
  }
  ReadingPlace place;
  place.files = files_kept(guard, kept.session, version);
  place.product = kept.session.product == Product::claude ? LineIndex::Product::claude : LineIndex::Product::codex;
  place.name = fmt::format("guard:{} {}", transcript.key, transcript.version);
  place.cache = cache;
  return open_transcript(std::move(place), std::move(heading), options);
}

}  // namespace holdfast::transcripts
