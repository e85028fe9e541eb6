#pragma once

// Pending changes of documents, and a person's verdicts on them.
//
// Verdicts and comments need a login (PageRequest::is_login): with --no-auth anybody on the machine could send them, a model too.
// What a verdict could not do is shown on the page of the document, with what could be done done.

#include "base/identity.h"
#include "kinds/documents/workspace/workspace.h"
#include "web/pages/page.h"

#include <functional>
#include <memory>
#include <string>

namespace holdfast::web {

// What the review pages need of the rest of the program.
struct ReviewService {
  // Over the folders that stand in the projects of who asks; opened when it is first asked for. Empty, or nullptr: none does.
  std::function<Result<std::shared_ptr<documents::Workspace>>(const Identity& who)> workspace;
  // The person behind a login, with name and address as comments and git show them.
  std::function<documents::Asker(const Identity& who)> reviewer;
  bool commit_on_accept = false;
  // Whether a document lies in a work tree of git, so that accepting it can also commit it. Empty: none does.
  std::function<bool(const std::string& path)> in_git;
};

// `/review`: documents with pending changes.
Result<net::HttpResponse> review_page(const ReviewService& service, const PageRequest& request);
// `/review/document?path=…[&view=sides]`: one document with its changes, marked in its text or before and after side by side.
Result<net::HttpResponse> review_document_page(const ReviewService& service, const PageRequest& request);
// POST `/review/decide`: verdict=accept|reject, id=… (any number) or all=1 with path; answers with a redirect to the document.
Result<net::HttpResponse> decide_changes(const ReviewService& service, const PageRequest& request);
// POST `/review/comment`: id, note, path.
Result<net::HttpResponse> comment_change(const ReviewService& service, const PageRequest& request);

}  // namespace holdfast::web
