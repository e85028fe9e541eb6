#pragma once

// The links of one document rewritten in its raw text, pending changes included (document-review §5 `move`).
//
// A link is rewritten where it stands: in plain text, in what a change brings, in what it takes away. One whose target is spread
// over several of these, or is a link in one view and prose in the other, is left alone and counted: no spelling of one piece is
// right for both views.

#include "base/result.h"
#include "kinds/documents/links/link_map.h"

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::documents {

// One document or folder gets another place. Paths as shown, without a '/' at their ends.
struct Renaming {
  std::string from, to;
  // What a path becomes; itself when it is not concerned.
  std::string of(std::string_view path) const;
};

// How a link must be spelled after documents got other places. The form is kept: relative stays relative, from the root stays
// from the root, an extension stays given or implied, a bare wiki name stays bare while it is unique. A link that still means the
// same is left as it is.
class LinkSpelling {
 public:
  // Everything outlives it. Before and after: the documents with their old and their new places.
  LinkSpelling(const DocumentNames& before, const DocumentNames& after, const Renaming& renaming)
      : before_(before), after_(after), renaming_(renaming) {}

  struct Answer {
    enum class Kind { keep, respell, impossible } kind = Kind::keep;
    std::string target;  // decoded
  };
  // A link of the document that was at `from`.
  Answer ask(std::string_view from, bool markdown, std::string_view target) const;

  const DocumentNames& before() const { return before_; }
  const DocumentNames& after() const { return after_; }
  const Renaming& renaming() const { return renaming_; }

 private:
  const DocumentNames& before_;
  const DocumentNames& after_;
  const Renaming& renaming_;
};

// The target as it stands in the text. Written: what stood there before, whose habits are kept; angled: between < and >. Nothing
// when this form cannot hold such a name ("C#" in a wiki link).
std::optional<std::string> encode_target(bool markdown, bool angled, std::string_view written, std::string_view target);

struct RewrittenLinks {
  std::string raw;
  std::size_t rewritten = 0, left = 0;
};

// Carries markup: the document's kind does (Place::reviewed). Before it returns, both views of the new text are read again: every
// link that meant a document means the same one, at its new place. Errors: internal with code would_corrupt when not.
Result<RewrittenLinks> rewrite_links(std::string_view raw, bool carries_markup, std::string_view path,
                                     const LinkSpelling& spelling);

}  // namespace holdfast::documents
