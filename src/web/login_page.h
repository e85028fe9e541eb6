#pragma once

#include "web/page.h"

namespace holdfast::web {

// What somebody sees who is not logged in.
net::HttpResponse login_needed_page(const PageRequest& request, bool code_was_wrong);

}  // namespace holdfast::web
