#pragma once

// The pages of this program, with what they need to be drawn.

#include "reading/entry_reading.h"
#include "session/finder.h"
#include "session/retention.h"
#include "session/store_view.h"
#include "transcripts/keeper.h"
#include "web/pages.h"
#include "web/research_pages.h"
#include "web/review_service.h"
#include "web/storage_page.h"

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
