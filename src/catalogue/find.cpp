#include "catalogue/find.h"

#include "base/ids.h"
#include "base/text/text.h"
#include "session/kinds.h"
#include "session/query/lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

namespace holdfast::catalogue {

std::string_view name_of(Place place) {
  switch (place) {
    case Place::store:
      return "in the store";
    case Place::disk:
      return "on disk";
    case Place::guard:
      return "in the guard";
    case Place::backup:
      return "in a backup";
  }
  return "";
}

const std::string& Found::id() const {
  if (record()) return record()->id;
  if (on_disk()) return on_disk()->id();
  return in_guard() ? in_guard()->id : in_backup()->session_id;
}

Millis Found::changed_at() const {
  if (record()) return record()->updated_at;
  if (on_disk()) return on_disk()->mtime();
  return in_guard() ? in_guard()->transcript.modified_at : in_backup()->made_at;
}

std::string_view Found::kind() const {
  return record() ? std::string_view(record()->kind) : session::kTranscript;
}

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

namespace {

using transcripts::Keeper;

constexpr std::size_t kCountedIds = 100;  // of the store, with one prefix; more is too short a prefix anyway

std::string line_of(const Keeper* keeper, const Found& found) {
  std::string line = fmt::format("\n  {}  {} {}", found.id(), found.kind(), name_of(found.place()));
  if (const auto* session = found.on_disk(); session && session->claude())
    return line + ", " + transcripts::description_of(keeper->homes().claude, *session->claude());
  if (const auto* session = found.on_disk())
    return line + fmt::format(", {} bytes, {}, {}", session->size(), iso8601(session->mtime()), session->path());
  if (const auto* kept = found.in_guard())
    return line + fmt::format(", {} bytes, {}", kept->transcript.size, iso8601(kept->transcript.modified_at));
  if (const auto* backup = found.in_backup()) return line + ", " + iso8601(backup->made_at);
  return line;
}

Error ambiguous(const Keeper* keeper, std::string_view text, const std::vector<Found>& matches) {
  std::string lines;
  for (std::size_t i = 0; i < std::min(matches.size(), transcripts::kShownMatches); ++i) lines += line_of(keeper, matches[i]);
  if (matches.size() > transcripts::kShownMatches)
    lines += fmt::format("\n  and {} more", matches.size() - transcripts::kShownMatches);
  const bool one_id = std::ranges::all_of(matches, [&](const Found& each) { return each.id() == matches.front().id(); });
  const auto stored = std::ranges::count_if(matches, [](const Found& each) { return each.record() != nullptr; });
  return make_error(ErrorKind::ambiguous,
                    fmt::format("{} fits {}{} sessions:{}", text, matches.size(),
                                static_cast<std::size_t>(stored) == kCountedIds ? " or more" : "", lines),
                    one_id ? "say which project it is in" : "give more of the id");
}

// Looks into one place after the other; what goes wrong in one is told when the others have nothing.
class Finding {
 public:
  Finding(const Asker& asker, std::string_view text)
      : asker_(asker), text_(text), may_be_transcript_(asker.keeper && transcripts::check_start_of_session_id(text)) {}

  Result<Found> run() {
    if (auto exact = stored_exactly()) return std::move(*exact);
    if (gone_ && !may_be_transcript_) return fail(*std::move(gone_));
    const bool is_whole = is_uuid(text_);
    if (!is_whole) {
      HF_CHECK(session::check_start_of_id(text_));
      take(stored_with_prefix());
    }
    look_for_transcripts();
    if (matches_.size() == 1) return std::move(matches_.front());
    if (!matches_.empty()) return fail(ambiguous(asker_.keeper, text_, matches_));
    if (gone_) return fail(*std::move(gone_));
    if (trouble_) return fail(*std::move(trouble_));
    return fail(not_found());
  }

 private:
  std::optional<Found> stored_exactly() {
    if (!asker_.store) return std::nullopt;
    auto opened = asker_.store();
    if (!opened) {
      trouble_ = std::move(opened).error();
      return std::nullopt;
    }
    store_ = *opened;
    if (!store_) return std::nullopt;
    auto record = session::session_of_id(*store_, asker_.principal, text_);
    if (record && *record) return Found{std::move(**record)};
    if (!record) (record.error().code == "gone" ? gone_ : trouble_) = std::move(record).error();
    return std::nullopt;
  }

  Result<std::vector<Found>> stored_with_prefix() {
    std::vector<Found> matches;
    if (!store_) return matches;
    HF_TRY(const auto ids, store_->ids_with_prefix({std::string(text_), asker_.principal, {}, kCountedIds}));
    for (const std::string& id : ids) {
      auto record = store_->get(id);
      if (record) matches.push_back({std::move(*record)});
    }
    return matches;
  }

  void look_for_transcripts() {
    if (!may_be_transcript_) return;
    take(matches_on_disk(*asker_.keeper, text_));
    // A whole id that is on disk needs nothing more; the guard may be large.
    if (is_uuid(text_) && !matches_.empty()) return;
    Matches kept = matches_kept(*asker_.keeper, asker_.kept, text_);
    std::erase_if(kept.found, [this](const Found& each) {
      return std::ranges::any_of(
          matches_, [&](const Found& known) { return known.on_disk() && equal_ignoring_ascii_case(known.id(), each.id()); });
    });
    take(std::move(kept.found));
    for (auto& [place, error] : kept.unread) take(fail(std::move(error)));
  }

  void take(Result<std::vector<Found>> found) {
    if (found)
      std::ranges::move(*found, std::back_inserter(matches_));
    else if (!trouble_)
      trouble_ = std::move(found).error();
  }

  Error not_found() const {
    if (!asker_.keeper)
      return make_error(ErrorKind::not_found, fmt::format("there is no session {}", text_), "list the sessions to see their ids");
    const transcripts::Homes& homes = asker_.keeper->homes();
    return make_error(
        ErrorKind::not_found,
        fmt::format("there is no session {} in the store, {}, {}, the guard or {}", text_, homes.claude.absolute("projects"),
                    homes.codex.absolute("sessions"), asker_.keeper->backup_folder()),
        "list the sessions to see their ids");
  }

  const Asker& asker_;
  std::string_view text_;
  bool may_be_transcript_;
  session::Store* store_ = nullptr;
  std::vector<Found> matches_;
  std::optional<Error> gone_, trouble_;
};

}  // namespace

Result<Found> find(const Asker& asker, std::string_view id_or_prefix) {
  return Finding(asker, id_or_prefix).run();
}

Result<Found> find_transcript(const Asker& asker, std::string_view id_or_prefix, const std::optional<std::string>& project) {
  if (project && asker.keeper) {
    HF_CHECK(session::check_start_of_id(id_or_prefix));
    HF_TRY(auto session, transcripts::find_session(asker.keeper->homes().claude, id_or_prefix, project));
    return Found{transcripts::AnySession{std::move(session)}};
  }
  HF_TRY(Found found, find(asker, id_or_prefix));
  if (!found.record()) return found;
  return fail(ErrorKind::invalid, fmt::format("{} is a {} session, not a transcript", found.id(), found.kind()),
              fmt::format("holdfast sessions show {} reads it, and so does get of the tool session", found.id()));
}

Result<Found> find_copy(const Keeper& keeper, std::string_view id_or_prefix, bool guard_alone) {
  HF_CHECK(session::check_start_of_id(id_or_prefix));
  Matches matches = matches_kept(keeper, nullptr, id_or_prefix, guard_alone);
  // The newer one may lie where nobody could look.
  if (!matches.unread.empty()) return fail(std::move(matches.unread.front().second));
  if (matches.found.size() == 1) return std::move(matches.found.front());
  if (!matches.found.empty()) return fail(ambiguous(&keeper, id_or_prefix, matches.found));
  return fail(ErrorKind::not_found,
              fmt::format("there is no session {} in the guard, and no backup of it in {}", id_or_prefix, keeper.backup_folder()),
              "holdfast guard list --gone shows what can be restored");
}

Result<transcripts::AnySession> on_disk(const Result<Found>& found) {
  if (!found) return fail(found.error());
  if (found->on_disk()) return *found->on_disk();
  return fail(ErrorKind::not_found,
              fmt::format("{} is only {}: its client no longer has it", found->id(), name_of(found->place())),
              fmt::format("holdfast restore --in-place {} puts it back", found->id()));
}

}  // namespace holdfast::catalogue
