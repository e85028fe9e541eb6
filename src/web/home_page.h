#pragma once

// The page at `/`: what this program keeps, and the sessions that were touched last.

#include "session/store.h"

#include <string>
#include <string_view>

namespace holdfast::web {

// Blocks (the store): pool threads.
Result<std::string> home_page(session::Store& store, const std::string& principal, std::string_view version, Millis now);

// What somebody sees who is not logged in.
std::string login_needed_page(std::string_view version, bool code_was_wrong);

// "1.4 MB": for people, in powers of 1,000.
std::string readable_size(std::int64_t bytes);

}  // namespace holdfast::web
