#pragma once

// Where everything is kept, how much it is, and whether it is whole.

#include "kinds/transcripts/verbs/keeper.h"
#include "session/query/finder.h"
#include "session/query/store_view.h"
#include "web/pages/page.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::web {

// Names and values to show; nothing secret.
using Facts = std::vector<std::pair<std::string, std::string>>;

struct StorageService {
  std::function<Result<Facts>()> guard;  // the guard's own account of itself; empty: there is none
  Facts settings;                        // those that matter, as they are
};

// `/storage`. finder and keeper may be nullptr.
Result<net::HttpResponse> storage_page(const session::SharedStore& stores, session::Finder* finder,
                                       const transcripts::Keeper* keeper, const StorageService& service,
                                       const PageRequest& request);
// POST `/storage/verify`: reads every entry and shows what it found. Takes as long as that takes.
Result<net::HttpResponse> verify_store(const session::SharedStore& stores, const PageRequest& request);

}  // namespace holdfast::web
