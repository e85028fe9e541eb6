#pragma once

// What will happen to sessions by itself, and when: notices, the calendar behind them, and what coding clients will delete.

#include "kinds/transcripts/verbs/keeper.h"
#include "session/life/retention.h"
#include "session/store.h"
#include "web/pages/page.h"

namespace holdfast::web {

// `/notices`. keeper may be nullptr.
Result<net::HttpResponse> notices_page(session::Store& store, const session::RetentionPolicy& policy,
                                       const transcripts::Keeper* keeper, const PageRequest& request);
// POST `/notices/acknowledge`: id=… (any number), or all=1.
Result<net::HttpResponse> acknowledge_notices(session::Store& store, const PageRequest& request);

}  // namespace holdfast::web
