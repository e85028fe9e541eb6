#pragma once

// An edit as a model asks for it, applied to the bytes of a document: found in the accepted view, merged as pending changes
// (document-review §5 `edit`). Touches no file.

#include "kinds/documents/text/merge.h"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

struct TextEdit {
  std::string old_string, new_string;
  bool replace_all = false;
};
// More places are better edited with a program; a person has to look at each of them.
inline constexpr std::size_t kMaxReplaced = 1000;

struct EditedText {
  std::string raw;
  std::vector<std::string> ids;    // of changes that are pending now, in order: one for each edit that changed something
  std::vector<std::size_t> lines;  // on which their marks begin, in the new accepted view
  std::string accepted;            // that view
  std::vector<Superseded> superseded;
  std::size_t withdrawn = 0;
  Likeness likeness = Likeness::exact;  // the widest that was needed
  bool unchanged = true;
};

struct EditRules {
  bool changed_since_read = false;  // not found then means stale
  bool supersede_any = true;
};

// Every edit in order, all or nothing. Errors with the codes of document-review §4: not_found, not_unique, stale, bad_argument,
// too_large, those of merge.h.
Result<EditedText> edit_marked_text(std::string_view raw, const std::vector<TextEdit>& edits, const Author& author,
                                    const EditRules& rules);
// The same for a text that carries no marks: `raw` is the new text, and there are no ids.
Result<EditedText> edit_plain_text(std::string_view text, const std::vector<TextEdit>& edits, const EditRules& rules);

}  // namespace holdfast::documents
