#pragma once

// The page at `/`: what this program keeps, and the sessions that were touched last.

#include "session/store.h"
#include "web/page.h"

#include <string>
#include <string_view>

namespace holdfast::web {

// Blocks (the store): pool threads.
Result<net::HttpResponse> home_page(session::Store& store, const PageRequest& request);

// "1.4 MB": for people, in powers of 1,000.
std::string readable_size(std::int64_t bytes);

}  // namespace holdfast::web
