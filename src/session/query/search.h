#pragma once

// Full text over titles and the text of entries.
//
// Every word of the query must occur in the entry (or in the title, description, tags of the
// record); case is folded. A word in quotes with blanks is a phrase. The index behind it is a cache
// of one machine, fed after the commit; what is not in it yet is scanned, so a search finds what was
// acknowledged before it began. Deleted and redacted text is never found.

#include "base/result.h"
#include "base/run/clock.h"
#include "session/record.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::session {

struct SearchQuery {
  std::string text;
  std::vector<std::string> kinds;
  std::vector<std::string> roots;  // as in Query
  bool rootless = false;
  std::vector<Visibility> visibilities;  // empty: live and archived
  std::optional<std::string> principal;
  std::string session;           // only in this one; empty: all
  std::size_t limit = 20;        // hits
  std::size_t per_session = 3;   // hits of one session, so that a long one does not hide others
  bool entries_only = false;     // no titles, descriptions and tags
  std::string not_session = {};  // not in this one
  // Hits of that time or later, and of before that time: of an entry when it was made, of a record when it was last changed.
  std::optional<Millis> since = {}, until = {};
};

bool is_in_time(const SearchQuery& query, Millis time);

// invalid, too_large.
Result<void> check_search(const SearchQuery& query);

struct SearchHit {
  std::string session;
  std::string kind;
  std::string title;
  std::int64_t seq = 0;  // 0: the record itself (title, description, tags)
  std::string lane;
  std::int64_t number = 0;
  std::string type;
  Millis time = 0;
  std::string snippet;  // plain text around the first match, shortened with "…"
};

struct SearchResult {
  std::vector<SearchHit> hits;  // records first, then entries, each newest first
  bool more = false;            // the limit cut something off
};

// Of an entry that does not fit its hash.
std::string damaged_snippet(std::string_view damage, std::string_view snippet);

}  // namespace holdfast::session
