#include "catalogue/places.h"

#include "base/text/text.h"

#include <algorithm>
#include <map>

namespace holdfast::catalogue {

namespace {

using transcripts::Keeper;

Result<std::vector<Found>> matches_in_guard(const Keeper& keeper, transcripts::KeptLines* kept, std::string_view prefix) {
  std::vector<Found> matches;
  std::optional<transcripts::KeptLines> unremembered;
  HF_TRY(const auto sessions, (kept ? *kept : unremembered.emplace(keeper)).sessions());
  for (const transcripts::KeptSession& session : *sessions)
    if (begins_with(session.id, prefix)) matches.push_back({session});
  return matches;
}

bool is_newer(const transcripts::KeptBackup& backup, const transcripts::KeptSession& kept) {
  return backup.made_at >= kept.transcript.kept_at;
}

}  // namespace

bool begins_with(std::string_view id, std::string_view prefix) {
  return id.size() >= prefix.size() && equal_ignoring_ascii_case(id.substr(0, prefix.size()), prefix);
}

Result<std::vector<Found>> matches_on_disk(const Keeper& keeper, std::string_view prefix) {
  std::vector<Found> matches;
  HF_TRY(auto claude, transcripts::all_sessions(keeper.homes().claude));
  std::ranges::sort(claude, std::greater{}, &transcripts::FoundSession::mtime);
  for (auto& session : claude)
    if (begins_with(session.place.session_id, prefix)) matches.push_back({transcripts::AnySession{std::move(session)}});
  HF_TRY(auto codex, transcripts::codex_sessions(keeper.homes().codex));
  for (auto& session : codex)
    if (begins_with(session.id, prefix)) matches.push_back({transcripts::AnySession{std::move(session)}});
  return matches;
}

Matches matches_kept(const Keeper& keeper, transcripts::KeptLines* kept, std::string_view prefix, bool guard_alone) {
  Matches matches;
  auto guarded = matches_in_guard(keeper, kept, prefix);
  if (guarded)
    matches.found = *std::move(guarded);
  else
    matches.unread.emplace_back(Place::guard, std::move(guarded).error());
  if (guard_alone) return matches;
  auto backups = transcripts::newest_backups(keeper.backup_folder());
  if (!backups) {
    matches.unread.emplace_back(Place::backup, std::move(backups).error());
    return matches;
  }
  std::map<std::string, Found*, std::less<>> by_id;
  for (Found& each : matches.found) by_id.emplace(fold_case(each.id()), &each);
  std::vector<Found> alone;
  for (auto& backup : *backups) {
    if (!begins_with(backup.session_id, prefix)) continue;
    const auto same = by_id.find(fold_case(backup.session_id));
    if (same == by_id.end())
      alone.push_back({std::move(backup)});
    else if (is_newer(backup, *same->second->in_guard()))
      same->second->lies = std::move(backup);
  }
  std::ranges::move(alone, std::back_inserter(matches.found));
  return matches;
}

}  // namespace holdfast::catalogue
