#pragma once

// All sessions of one person, newest first, whatever keeps them: those of the store, the transcripts of coding clients, and those
// that only the guard still has.
//
// Two streams that are each in order are merged as far as a page needs them, so the cost follows the page and not the number of
// sessions; transcripts are read (their first and last 64 KiB) only when they are shown or when a text is looked for. Blocks; any
// thread.

#include "kinds/transcripts/guard/kept_lines.h"
#include "session/store.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::web {

struct TimelineFilter {
  std::string kind;     // empty: all
  std::string project;  // a path or root: exactly this; a word: part of its name
  std::string status;   // a kind's word, or archived, deleted
  std::string text;     // in title, description, opening or tags
  bool pinned = false;
  std::optional<Millis> since, until;  // since <= time < until
  Millis now = 0;                      // whether a session was written to just now
};

struct TimelineItem {
  std::string id, kind, title;
  std::string project_name, project;  // for people; root or path for the filter; both may be empty
  std::string status;
  std::string product;  // of a transcript: claude, codex
  session::Visibility visibility = session::Visibility::live;
  bool pinned = false;
  std::optional<std::string> damage;
  Millis time = 0;           // last change
  std::int64_t entries = 0;  // of a session of the store
  std::uint64_t bytes = 0;   // of a transcript
};

struct TimelineSlice {
  std::vector<TimelineItem> items;
  std::string next;  // cursor of what is older; empty: that is all
};

class Timeline {
 public:
  static constexpr std::size_t kPageItems = 50;
  // Looked at for one page when hardly anything fits the filter; then the page is short and says that there is more.
  static constexpr std::size_t kMaxLookedAt = 2'000;

  // homes may be nullptr: no transcripts; kept, too: none of the guard. They belong to the user who runs the program, whose
  // principal is `local`.
  Timeline(session::Store& store, const transcripts::Homes* homes, std::shared_ptr<transcripts::KeptLines> kept = nullptr)
      : store_(store), homes_(homes), kept_(std::move(kept)) {}

  // Errors: invalid (a cursor that is not one), those of the store.
  Result<TimelineSlice> read(const TimelineFilter& filter, const std::string& principal, std::string_view cursor) const;

 private:
  session::Store& store_;
  const transcripts::Homes* homes_;
  std::shared_ptr<transcripts::KeptLines> kept_;
};

}  // namespace holdfast::web
