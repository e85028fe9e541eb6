#pragma once

// The pages of this program, with what they need to be drawn.

#include "kinds/transcripts/verbs/keeper.h"
#include "reading/entry_reading.h"
#include "session/life/retention.h"
#include "session/query/finder.h"
#include "session/query/store_view.h"
#include "web/pages/pages.h"
#include "web/pages/research_pages.h"
#include "web/pages/storage_page.h"
#include "web/review/review_pages.h"

namespace holdfast::web {

// Everything outlives the pages; what is nullptr (or empty) is not there, and the pages say so.
struct PageServices {
  const session::SharedStore& stores;
  const transcripts::Keeper* keeper = nullptr;  // transcripts of the user who runs the program
  session::Finder* finder = nullptr;
  ReviewService review = {};
  ResearchOpener research = {};
  session::RetentionPolicy retention = {};
  StorageService storage = {};
  reading::EntryKinds kinds = {};  // how entries are read
};

Pages make_pages(const PageServices& services);

}  // namespace holdfast::web
