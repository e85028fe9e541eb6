// relocate OLD NEW: every session of a project whose folder was renamed (move.h).

#include "base/files/at_or_below.h"
#include "base/text/text.h"
#include "kinds/transcripts/home/summary.h"
#include "kinds/transcripts/products/claude/project_folder.h"
#include "kinds/transcripts/verbs/move.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace holdfast::transcripts {

Result<RelocateResult> relocate_project(const Home& home, const std::string& old_path, const std::string& new_path,
                                        const MoveOptions& options, Millis now, const Progress& progress) {
  HF_TRY(const std::string from, canonical_project(old_path));
  HF_TRY(const std::string to, canonical_project(new_path));
  if (from == to) return fail(ErrorKind::invalid, "the old and the new path are the same: " + from);
  // A project cannot be moved into itself: its sessions would be found again, and moved again.
  if (is_at_or_below(to, from)) return fail(ErrorKind::invalid, fmt::format("{} lies inside {}", to, from));
  // A transcript may spell the letters of the path in the other Unicode form.
  const std::array<std::string, 3> forms = {from, to_nfc(from), to_nfd(from)};
  HF_TRY(auto sessions, all_sessions(home));
  std::ranges::sort(sessions, {},
                    [](const FoundSession& each) { return std::pair(each.place.project_folder, each.place.session_id); });

  RelocateResult result;
  for (const FoundSession& session : sessions) {
    const auto summary = summarise(home, session);
    if (!summary) {
      result.failed.push_back({session.place.session_id, summary.error()});
      continue;
    }
    const auto old =
        std::ranges::find_if(forms, [&](const std::string& form) { return is_at_or_below(summary->project_root, form); });
    if (summary->project_root.empty() || old == forms.end()) continue;
    MoveOptions each = options;
    each.target_project = to + summary->project_root.substr(old->size());
    // Sessions below it name files of the whole project, too.
    each.maps.emplace_back(*old, to);
    auto moved = move_session(home, session, each, now, progress);
    if (moved) {
      result.moved.push_back(*std::move(moved));
    } else if (moved.error().kind == ErrorKind::cancelled) {
      return fail(std::move(moved).error());
    } else {
      result.failed.push_back({session.place.session_id, std::move(moved).error()});
    }
  }
  return result;
}

}  // namespace holdfast::transcripts
