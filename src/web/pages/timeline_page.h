#pragma once

#include "catalogue/find.h"
#include "session/query/finder.h"
#include "web/pages/page.h"

namespace holdfast::web {

inline constexpr std::size_t kTimelineRows = 50;

// `/`: every session that exists for who asks, wherever it lies, by day, with filters; rows change while one looks.
Result<net::HttpResponse> timeline_page(const catalogue::Asker& asker, const PageRequest& request);

// `/search?q=`: the places that answer, grouped by session, each with its deep link, and the command that goes on with the
// session. The same address with the header X-Fragment answers with the results alone (and with typing=1 takes the last word as
// unfinished): that is the search as you type. Blocks. finder may be nullptr: the page then says that there is no search here.
Result<net::HttpResponse> search_page(session::Finder* finder, session::Store& store, const PageRequest& request);

}  // namespace holdfast::web
