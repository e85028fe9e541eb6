#pragma once

#include "web/page.h"
#include "web/timeline.h"

namespace holdfast::web {

// `/`: every session, by day, with filters; rows change while one looks.
Result<net::HttpResponse> timeline_page(const Timeline& timeline, const PageRequest& request);

}  // namespace holdfast::web
