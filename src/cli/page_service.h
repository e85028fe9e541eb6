#pragma once

// What the pages of `holdfast serve` are drawn from, opened for one server: the transcripts of this user, the desk of the folders
// under review, research. The context and the store outlive it, and it outlives the pages. Any thread.

#include "cli/context.h"
#include "cli/research_service.h"
#include "cli/search_service.h"
#include "documents/desk.h"
#include "transcripts/keeper.h"
#include "web/add_pages.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace holdfast::cli {

class PageService {
 public:
  // Errors: invalid (a setting), io.
  static Result<std::unique_ptr<PageService>> open(const Context& context, session::Store& store);

  // search may be nullptr; it outlives the pages, too.
  web::PageServices services(SearchService* search);

 private:
  Result<std::shared_ptr<documents::Desk>> desk(const Identity& who);
  documents::Asker reviewer(const Identity& who);
  Result<research::Research*> research();

  PageService(const Context& context, session::Store& store) : context_(context), store_(store) {}

  const Context& context_;
  session::Store& store_;
  std::unique_ptr<transcripts::Keeper> keeper_;
  documents::LibrarySettings library_;
  std::mutex mutex_;
  // By the folders it is over: logins of different projects see different ones. Guarded by mutex_.
  std::map<std::string, std::shared_ptr<documents::Desk>> desks_;
  std::unique_ptr<ResearchService> research_;  // guarded by mutex_ until it is there
};

}  // namespace holdfast::cli
