#pragma once

// Puts an edit into a document as pending changes (document-review §6.3–6.5).
//
// The edit is given in the accepted view: a range and what shall stand there instead. The result is the document's new bytes, in
// which everything that the edit did not touch is the same byte. It may need several marks; they have one id, since a person
// decides about an edit and not about its words. Before it is returned it is parsed again, and both views must be
// exactly as intended; otherwise nothing is returned (would_corrupt).

#include "base/result.h"
#include "kinds/documents/text/match.h"
#include "kinds/documents/text/views.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

struct Author {
  std::string label;  // "AI", "dev's AI"
  Millis now = 0;
  std::function<std::string()> make_id;  // "c_" and a few characters; asked again when the document has it already
  // Tells apart who has the same label: what carries another one, or none, is not the author's own. Empty: labels alone count.
  std::string by = {};
};

struct Superseded {
  std::string id, author, del, ins;
  bool own = false;
};

struct Merged {
  std::string raw;
  std::string id;                      // of the new change; empty when everything fell back to what was there before
  std::vector<std::size_t> lines;      // on which its marks begin in the new accepted view, each once
  std::vector<Superseded> superseded;  // pending changes the edit took the place of
  std::size_t withdrawn = 0;           // changes that fell back to what was there before
  std::string accepted;                // the new accepted view
  bool unchanged = false;              // the edit says what stands there already; then `accepted` is empty
};

// What shall stand in a range of the accepted view.
struct Replacement {
  std::size_t begin = 0, end = 0;
  std::string text;
};

// The replacements are in order and apart from each other. Errors: refused with code markup_in_input (which delimiter),
// comment_protected (quotes it), would_corrupt.
Result<Merged> merge_edits(const AcceptedView& view, const std::vector<Replacement>& replacements, const Author& author,
                           Likeness likeness = Likeness::exact);

// On which lines of the accepted view the marks of a change begin, each once.
std::vector<std::size_t> lines_of_change(const AcceptedView& view, std::string_view id);

// A whole new document as one insertion. markup_in_input.
Result<std::string> wrap_new_document(std::string_view content, const Author& author, std::string& id);

}  // namespace holdfast::documents
