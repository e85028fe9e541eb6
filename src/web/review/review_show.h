#pragma once

// The parts that the review pages are made of.

#include "kinds/documents/workspace/workspace.h"
#include "web/pages/page.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::web {

// The address of a document's page.
std::string document_path(std::string_view path, std::string_view view = {}, std::string_view anchor = {});
// "change-c_k3f9": where a change stands on its page.
std::string change_anchor(std::string_view id);

// A comment that could not be taken: which change it is about, and what was written.
struct Draft {
  std::string id, text;
};

// What whoever looks may do: decide, and have what is accepted committed.
struct Deciding {
  bool may_decide = false, may_commit = false;
};

// One change with its context, its comments and, when it may be decided, its forms. A draft stands in the box of its change.
void show_change(Html& page, const PageRequest& request, const documents::PendingChange& change, const Deciding& deciding,
                 const Draft& draft = {});
// Accept all, reject all of one document.
// What a person has before the eyes: another text when any of these changes is another one, or another text.
std::string seen_mark(std::span<const documents::PendingChange> changes);
void show_verdicts_on_all(Html& page, const PageRequest& request, std::string_view path,
                          std::span<const documents::PendingChange> changes, const Deciding& deciding);
// The document's own bytes with its changes marked; all of it as taken away when it is to go.
void show_marked(Html& page, std::string_view raw, bool goes);
// Two texts beside each other; stretches that are the same are folded unless `whole`.
void show_sides(Html& page, std::string_view before, std::string_view after, bool whole);

}  // namespace holdfast::web
