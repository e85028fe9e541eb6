#pragma once

// Full text over titles and the text of entries.
//
// The text is what parse_text_query (search/query) understands: all of it must hold in one entry, or in the title, description
// and tags of the record. The index behind it is a cache of one machine, fed after the commit; what is not in it yet is scanned,
// so a search finds what was acknowledged before it began. Deleted and redacted text is never found.

#include "base/result.h"
#include "base/run/clock.h"
#include "search/index/passages.h"
#include "session/record.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::search {
class TextSearch;
struct PassageMatch;
}  // namespace holdfast::search

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
  std::vector<search::PassageRole> roles = {};  // empty: any
  bool as_typed = true;                         // the last word may be the beginning of one
  // Letters with digits (E0277) are a word. If not, they may also stand inside of one: no index of words tells where, so
  // everything is read that has the other words.
  bool codes_are_words = true;
};

bool is_in_time(const SearchQuery& query, Millis time);

// Whose words an entry is: by its type; by what its data says of a message.
search::PassageRole role_of_entry(std::string_view type, std::string_view data);
bool has_role(const SearchQuery& query, search::PassageRole role);

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
  search::PassageRole role = search::PassageRole::title;
  double score = 0;     // how well it fits; of one measure with what an index of passages finds
  std::string snippet;  // plain text around the best place, shortened with "…"
  std::vector<std::pair<std::size_t, std::size_t>> highlights;  // begin and end in the snippet
};

struct SearchResult {
  std::vector<SearchHit> hits;  // records first, then entries, each newest first
  bool more = false;            // the limit cut something off
};

// What a search says of a text: how well it fits, and the place that shows it.
void show_match(SearchHit& hit, const search::TextSearch& words, std::string_view text, search::PassageMatch match);
// Of an entry that does not fit its hash.
void show_damage(SearchHit& hit, std::string_view damage);

}  // namespace holdfast::session
