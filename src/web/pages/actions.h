#pragma once

// What a page can do to the session it shows: operations of the table whose effect fits a page.
//
// POST `/sessions/ID/do/NAME` with a form whose fields are the parameters: every operation on one session that adds or changes
// something, on this machine. What removes asks first, which a later page will; what reads is a page of its own. NAME is that of
// the operation with dashes for blanks: /sessions/4f2a/do/sessions-pin.

#include "operations/operation.h"
#include "session/life/retention.h"
#include "web/gateway/subject.h"
#include "web/pages/page.h"
#include "web/pages/research_pages.h"

namespace holdfast::web {

// Whether pages offer it.
bool fits_page(const operations::Operation& operation);
// Where a form of that operation on that session is sent to.
std::string action_path(std::string_view session, std::string_view operation);

// Back to where the form was (`back`), or to the session, or the copy that was made. Errors: not_found (no such action, no such
// session), invalid, those of the operation; nothing has happened then.
Result<net::HttpResponse> perform_action(session::Store& store, const Transcripts& transcripts,
                                         const session::RetentionPolicy& policy, const ResearchOpener& open,
                                         const PageRequest& request);

}  // namespace holdfast::web
