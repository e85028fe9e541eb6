#pragma once

// The pages of this program, with what they need to be drawn.

#include "session/store.h"
#include "web/pages.h"

namespace holdfast::web {

// Everything outlives the pages.
struct PageServices {
  session::Store& store;
};

Pages make_pages(const PageServices& services);

}  // namespace holdfast::web
