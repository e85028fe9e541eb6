#pragma once

#include "web/gateway/subject.h"
#include "web/pages/page.h"

namespace holdfast::web {

// `/sessions/ID/family`: where a session came from and what became of it.
Result<net::HttpResponse> family_page(session::Store& store, const Transcripts& transcripts, const PageRequest& request);
// `/sessions/ID/graph`: the thoughts of a line of reasoning; grows while one looks. Errors: invalid for another kind.
Result<net::HttpResponse> graph_page(session::Store& store, const Transcripts& transcripts, const PageRequest& request);

}  // namespace holdfast::web
