#pragma once

// Moving a document or a folder so that no link breaks (document-review §5 `move`): links of other documents to it and its own
// relative links are rewritten, with #anchor and |alias kept, outside of code, in both sides of pending changes too. All files or
// none (document_file.h).

#include "kinds/documents/files/document_file.h"
#include "kinds/documents/links/links.h"

#include <utility>

namespace holdfast::documents {

// All of them are locked at once and held in memory as bytes to be written; fewer when the process may open few files.
inline constexpr std::size_t kMaxMoveRewrites = 10'000;

struct Moved {
  std::string from, to;              // as shown
  std::size_t links = 0, files = 0;  // rewritten
  // Links that could not follow: spread over pending changes, or of a form that cannot hold the new name; and documents with
  // links that may not be changed or are too large for it. They are to be named to whoever asked.
  std::size_t left = 0;
  std::vector<std::pair<std::string, std::string>> keys;  // of every document that has another place now: old, new
  std::string journal;                                    // what undo_move takes
  std::vector<std::string> notes;                         // sentences for whoever asked, without a full stop
};

// Errors: conflict with code exists (also of any descendant), invalid with code bad_argument (into itself, a folder onto *.md,
// "." or ".." segments, trailing or doubled '/', pending changes in a document whose new kind cannot carry them), too_large (more
// than kMaxMoveRewrites documents would have to be changed), those of the library. Nothing has happened then.
Result<Moved> move_document(Library& library, LinkReader& links, const Overlay& overlay, std::string_view path,
                            std::string_view new_path, const JournalNote& note);
// The move back, links included; folders that the move made are removed when they are empty. It is journaled as "undo" of that
// move, so that doing it twice takes back two moves; an undo can itself be undone by its id. "": the last move that was not taken
// back. Errors: not_found, conflict (it was taken back already, or something changed there since: says what).
Result<Moved> undo_move(Library& library, LinkReader& links, const Overlay& overlay, std::string_view journal,
                        const JournalNote& note);

}  // namespace holdfast::documents
