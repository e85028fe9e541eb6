#pragma once

#include "web/pages/page.h"
#include "web/pages/timeline.h"

namespace holdfast::web {

// `/`: every session, by day, with filters; rows change while one looks.
Result<net::HttpResponse> timeline_page(const Timeline& timeline, const PageRequest& request);

}  // namespace holdfast::web
