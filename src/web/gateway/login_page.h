#pragma once

// Pages for those who are outside.

#include "web/pages/page.h"

namespace holdfast::web {

// What somebody sees who is not logged in.
net::HttpResponse login_needed_page(const PageRequest& request, bool code_was_wrong);
// What a browser sees where nothing is, whether logged in or not.
net::HttpResponse unknown_page(const PageRequest& request);

}  // namespace holdfast::web
