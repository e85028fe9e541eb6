#pragma once

#include "catalogue/find.h"
#include "web/pages/page.h"

namespace holdfast::web {

inline constexpr std::size_t kTimelineRows = 50;

// `/`: every session that exists for who asks, wherever it lies, by day, with filters; rows change while one looks.
Result<net::HttpResponse> timeline_page(const catalogue::Asker& asker, const PageRequest& request);

}  // namespace holdfast::web
