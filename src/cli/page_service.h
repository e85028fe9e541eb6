#pragma once

// What the pages of `holdfast serve` are drawn from, opened for one server: the transcripts of this user, the desk of the folders
// under review, research. The context and the store outlive it, and it outlives the pages. Any thread.

#include "cli/context.h"
#include "cli/research_service.h"
#include "cli/search_service.h"
#include "documents/desk.h"
#include "transcripts/keeper.h"
#include "transcripts/transcript_watch.h"
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

  // From now on tells which transcripts change (an empty id: some of them), on a thread of its own, until stop_watching().
  void watch_transcripts(transcripts::TranscriptWatch::Changed changed);
  void stop_watching();

  // search may be nullptr; it outlives the pages, too.
  web::PageServices services(SearchService* search);

 private:
  Result<std::shared_ptr<documents::Desk>> desk(const Identity& who);
  documents::Asker reviewer(const Identity& who);
  Result<research::Research*> research();
  bool in_git(const std::string& path) const;

  PageService(const Context& context, session::Store& store) : context_(context), store_(store) {}

  const Context& context_;
  session::Store& store_;
  std::unique_ptr<transcripts::Keeper> keeper_;
  documents::LibrarySettings library_;
  std::mutex mutex_;
  std::unique_ptr<transcripts::TranscriptWatch> watch_;  // guarded by mutex_
  // By the folders it is over: logins of different projects see different ones. Guarded by mutex_.
  std::map<std::string, std::shared_ptr<documents::Desk>> desks_;
  std::unique_ptr<ResearchService> research_;  // guarded by mutex_ until it is there
};

}  // namespace holdfast::cli
