#pragma once

// One reviewable unit as it is shown to people and models, and all of them in a document (document-review §7 `list_changes`).
//
// What one edit of a model did to a document is one change to decide, however many marks it has left in the text: they have one
// id there (merge.h).

#include "base/run/clock.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

// A change as it is read: what it takes away and what it brings, with the text between its marks.
struct ChangePart {
  enum class Kind { same, removed, added, gap } kind = Kind::same;
  std::string text;  // none of a gap: there is more between, or behind, than is shown
};

struct PendingChange {
  std::string id;    // as it is named among all that are listed
  std::string mark;  // as it stands in the document, or of a proposal; the same unless another
                     // document has it, too
  std::string path;
  std::string kind;                             // insertion, deletion, substitution, comment, highlight, edit, create, delete
  std::int64_t line = 0;                        // of the accepted view, where it begins; 0: the whole file
  std::string del, ins, author, before, after;  // before, after: context without marks
  std::vector<ChangePart> parts;                // of one that is marked in the text, or takes the file away
  std::size_t places = 1;                       // how many marks it has in the text
  std::optional<Millis> time;
  bool in_front_matter = false;
  bool stale = false;                 // a proposal whose file has changed since
  std::vector<std::string> comments;  // directly behind it, about it, or of reviewers on a proposal: "name: text"
};

// A comment or a highlight is content, not a change: it can only be taken out.
bool is_remark(const PendingChange& change);

// In the order of the document; path is left empty. Comments about a change are part of it, and not listed once more.
std::vector<PendingChange> pending_in(std::string_view raw);
// Whether there is any: cheaper, and for most documents no more than a look for the openers.
bool has_pending(std::string_view raw);
// A file that is to go: the beginning of its text as what is taken away.
void show_whole_file(std::string_view text, PendingChange& change);

// Gives what several documents call by one name (a copied note brings its marks along, two notes may hold the same ones) ids of
// their own: "c_k3f9_3fa2", the latter from the document's path.
void name_apart(std::vector<PendingChange>& changes);
// Whether `typed` names this change: its id, the one it has in its document, or the latter with its document behind it.
bool is_named(const PendingChange& change, std::string_view typed);

// "insertion", …; what happens to a file is told apart from what happens to its text: "delete file", not "deletion".
std::string shown_kind(const PendingChange& change);
// "c_k3f9 L2 {--old words--}{++new words++} (dev's AI, 4m ago)"; a side over ten words is shown by its first and last three.
std::string one_line(const PendingChange& change, Millis now);
// Several lines, with context.
std::string several_lines(const PendingChange& change, Millis now);
// "4s", "5m", "3h", "2d", "7w"
std::string short_age(Millis then, Millis now);

}  // namespace holdfast::documents
