#pragma once

// Pending changes of documents, and a person's verdicts on them.
//
// Verdicts and comments need a login (PageRequest::is_login): with --no-auth anybody on the machine could send them, a model too.
// What a verdict could not do is shown on the page of the document, with what could be done done.

#include "web/pages/page.h"
#include "web/review/review_service.h"

namespace holdfast::web {

// `/review`: documents with pending changes.
Result<net::HttpResponse> review_page(const ReviewService& service, const PageRequest& request);
// `/review/document?path=…[&view=sides]`: one document with its changes, marked in its text or before and after side by side.
Result<net::HttpResponse> review_document_page(const ReviewService& service, const PageRequest& request);
// POST `/review/decide`: verdict=accept|reject, id=… (any number) or all=1 with path; answers with a redirect to the document.
Result<net::HttpResponse> decide_changes(const ReviewService& service, const PageRequest& request);
// POST `/review/comment`: id, note, path.
Result<net::HttpResponse> comment_change(const ReviewService& service, const PageRequest& request);

}  // namespace holdfast::web
