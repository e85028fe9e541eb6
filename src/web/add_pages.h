#pragma once

// The pages of this program, with what they need to be drawn.

#include "session/finder.h"
#include "session/store.h"
#include "transcripts/any_session.h"
#include "web/pages.h"

namespace holdfast::web {

// Everything outlives the pages; what is nullptr (or empty) is not there, and the pages say so.
struct PageServices {
  session::Store& store;
  const transcripts::Homes* homes = nullptr;
  session::Finder* finder = nullptr;
};

Pages make_pages(const PageServices& services);

}  // namespace holdfast::web
