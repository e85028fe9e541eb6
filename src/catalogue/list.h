#pragma once

// Sessions wherever they lie, as one list: those of the store, transcripts on disk, and those that only the guard or a backup
// still has. The one list of commands, tools and pages, so the same filter shows the same sessions on every surface.
//
// Streams that are each in order are merged as far as a page needs them. Of a transcript the ends are read when it is shown, and
// of all that may fit when a filter or the order asks for what only they say. A session that lies in several places is listed
// once, from the best of them (find.h). A place that cannot be read hides nothing of the others.

#include "catalogue/find.h"
#include "session/kinds.h"
#include "session/query/query.h"

namespace holdfast::catalogue {

struct Filter {
  // Conditions, order and page. Kinds: none means all. Under a root lie also transcripts of the other working trees of its
  // repository. What a transcript cannot have (tags, a pin, a task) no transcript fits.
  session::Query query;
  std::string root_name = {};    // part of the name of its root; then nothing is counted
  std::size_t look_at_most = 0;  // sessions of one page, fitting or not; 0: all. A page may then be short, with a cursor.
};

struct Listed {
  Found found;
  session::SessionRecord record;  // of a transcript made up from its ends; damage: they cannot be read
  transcripts::SessionLine line;  // of a transcript
};

struct Page {
  std::vector<Listed> items;
  std::int64_t total = 0;     // all that fit, on every page; or session::kNotCounted
  std::string next_cursor;    // opaque, for this filter and this asker alone; empty unless there is more
  std::vector<Error> unread;  // of places that could not be read
  std::vector<std::string> warnings() const;
};

// Errors: invalid (a filter that cannot be; INVALID_CURSOR), those of the store and of the clients' homes.
Result<Page> list(const Asker& asker, const Filter& filter);

// What a list shows of one session. Errors: those of reading it.
Result<session::SessionRecord> record_of(const Asker& asker, const Found& found);

}  // namespace holdfast::catalogue
