#pragma once

// CriticMarkup in a document (document-review §6.1, §6.2): the one parser that reading, editing, searching, linking and reviewing
// share.
//
// A document is a sequence of atoms: plain text and changes. A change has two sides, what it takes away (del) and what it brings
// (ins); either may be empty. Highlights and comments are content, not changes: they stay in the text, and only their metadata is
// hidden.
//
// Any bytes can be parsed, in time linear in their number; atoms cover all of them, in order.

#include "base/run/clock.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

// What stands behind an opener: a JSON object with a text `author`, then "@@".
struct Metadata {
  std::string id;  // empty: none
  std::string author;
  std::string by;  // who that is, where two have one name; written by us, empty in what others write
  std::optional<Millis> timestamp;
  std::string on;         // of a comment: id of the change that it is about; empty: it stands for itself
  std::size_t bytes = 0;  // of the document, "@@" included
};

// The text after an opener begins with metadata. Longer than kMaxMetadataBytes: it is payload.
std::optional<Metadata> read_metadata(std::string_view text);
// As written by us. Characters that could end a block stand there as \u00XX.
std::string write_metadata(std::string_view id, std::string_view author, Millis timestamp, std::string_view by = {});
// Of a comment about the change with this id: it goes when that is decided.
std::string write_comment_metadata(std::string_view author, Millis timestamp, std::string_view on);
inline constexpr std::size_t kMaxMetadataBytes = 4096;

// The text of a comment stands on one line in a document: a line break is \n and a backslash is doubled, the convention of
// editors (§6.5). Back: other backslashes stay, since not everybody who writes comments knows the convention.
std::string escape_note(std::string_view note);
std::string unescape_note(std::string_view note);

// One edit may leave several marks in a text; they have one id, and are one change to decide.
struct Atom {
  enum class Kind { plain, change };
  Kind kind = Kind::plain;
  std::size_t begin = 0, end = 0;  // in the raw text
  // Of a change; views into the raw text, metadata of their block left out.
  std::string_view del, ins;
  std::string id;  // of its metadata, or derived from its bytes (stable while they are)
  bool has_id = false;
  std::string author;  // empty: a person who wrote none
  std::string by;
  std::optional<Millis> timestamp;
  bool in_front_matter = false;
  bool in_code = false;
};

// A piece of text that is in the document but not in its views: metadata of a comment or a highlight.
struct Hidden {
  std::size_t at = 0;  // in the view it belongs to
  std::string_view raw;
};

struct Comment {
  std::string_view raw;   // with both delimiters
  std::string_view note;  // without metadata
  std::string author;     // empty: unlabelled, a person's
  std::string by;
  std::optional<Millis> timestamp;
  std::string id;
  std::size_t begin = 0, end = 0;  // in the text that was looked at
};

// Comments and highlights with their ids: those of their metadata, else derived from their bytes like those of changes. No two
// of a document have the same, and none that of a change.
struct Remark {
  enum class Kind { comment, highlight } kind = Kind::comment;
  std::string id, author;
  std::optional<Millis> timestamp;
  std::string on;                  // the change that a comment is about
  std::string_view text;           // the note, or what is marked
  std::size_t begin = 0, end = 0;  // in the raw text
};

// In code, what carries no metadata of ours is text: an example of these marks, and neither a change nor a comment (rule 4).
//
// Views into `raw`, which outlives the result.
std::vector<Atom> parse_markup(std::string_view raw);
// Of a document, in its order: those between its changes, and those in what the changes bring.
std::vector<Remark> find_remarks(std::string_view raw);
// Comments of a text that is not looked into for changes: a payload, a view.
std::vector<Comment> find_comments(std::string_view text);
// Where such a text has openers of comments and highlights that are text, because they stand in code.
std::set<std::size_t> find_openers_in_code(std::string_view text);

// A text without the metadata of its comments and highlights, and where that was.
struct Visible {
  std::string text;
  std::vector<Hidden> hidden;
};
Visible visible_text(std::string_view raw);
// The same without copying: the visible pieces, in order; none is empty.
void add_visible_pieces(std::vector<std::string_view>& pieces, std::string_view raw);

// Delimiters of changes and highlights, both ends: what a payload must not contain. The first one found.
std::optional<std::string_view> find_delimiter(std::string_view text);

}  // namespace holdfast::documents
