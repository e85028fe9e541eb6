#include "catalogue/open.h"

#include "kinds/transcripts/guard/kept_reading.h"
#include "kinds/transcripts/reading/session_info.h"

#include <fmt/format.h>

namespace holdfast::catalogue {

namespace {

// Its files are gone with what is opened, so no cache is to know them.
Result<OpenedSession> open_backup(const transcripts::Keeper& keeper, const transcripts::KeptBackup& backup,
                                  const transcripts::ReadingOptions& options) {
  OpenedSession opened;
  HF_TRY(opened.files, transcripts::lay_out(keeper, backup));
  const transcripts::AnySession& session = opened.files.session;
  const transcripts::Homes& homes = opened.files.keeper->homes();
  HF_TRY(const transcripts::SessionLine line, homes.line_of(session));
  reading::Heading heading = transcripts::heading_of(line);
  heading.resume_command = transcripts::restore_command(session);
  heading.details.emplace_back("kept", fmt::format("in a backup of {}", iso8601(backup.made_at)));
  transcripts::ReadingPlace place;
  place.files = transcripts::files_on_disk(homes.of(session), session);
  place.product = session.claude() ? transcripts::LineIndex::Product::claude : transcripts::LineIndex::Product::codex;
  place.name = backup.path;
  HF_TRY(opened.reading, transcripts::open_transcript(std::move(place), std::move(heading), options));
  return opened;
}

}  // namespace

Result<OpenedSession> open(const Asker& asker, const Found& found, const reading::EntryKinds& kinds,
                           const transcripts::ReadingOptions& options, transcripts::ReadingCache* cache,
                           const transcripts::KeptVersion& version) {
  OpenedSession opened;
  if (found.record()) {
    HF_TRY(session::Store* const store, asker.store());
    opened.reading = reading::open_entries(*store, *found.record(), kinds);
    return opened;
  }
  const transcripts::Keeper& keeper = *asker.keeper;
  if (found.in_backup()) return open_backup(keeper, *found.in_backup(), options);
  if (found.on_disk()) {
    HF_TRY(opened.reading, transcripts::open_transcript(keeper.homes(), *found.on_disk(), options, cache));
    return opened;
  }
  HF_TRY(session::Blobs* const guard, keeper.guard());
  std::optional<transcripts::KeptLines> unremembered;
  transcripts::KeptLines& lines = asker.kept ? *asker.kept : unremembered.emplace(keeper);
  HF_TRY(const auto kept, lines.transcript(*found.in_guard(), version));
  HF_TRY(opened.reading, transcripts::open_kept_transcript(*guard, kept, options, cache, version));
  return opened;
}

}  // namespace holdfast::catalogue
