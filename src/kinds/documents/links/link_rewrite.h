#pragma once

// The links of one document rewritten in its raw text, pending changes included (document-review §5 `move`).
//
// A link is rewritten where it stands: in plain text, in what a change brings, in what it takes away. One whose target is spread
// over several of these, or is a link in one view and prose in the other, is left alone and counted: no spelling of one piece is
// right for both views.

#include "base/result.h"
#include "kinds/documents/links/link_spelling.h"

namespace holdfast::documents {

struct RewrittenLinks {
  std::string raw;
  std::size_t rewritten = 0, left = 0;
};

// Carries markup: the document's kind does (Place::reviewed). Before it returns, both views of the new text are read again: every
// link that meant a document means the same one, at its new place. Errors: internal with code would_corrupt when not.
Result<RewrittenLinks> rewrite_links(std::string_view raw, bool carries_markup, std::string_view path,
                                     const LinkSpelling& spelling);

}  // namespace holdfast::documents
