#pragma once

// What the pages of `holdfast serve` are drawn from, opened for one server: the transcripts of this user, the workspace of the
// folders under review, research. The context and the store outlive it, and it outlives the pages. Any thread.

#include "cli/program/context.h"
#include "session/query/store_view.h"

#include <functional>
#include <memory>
#include <string>

namespace holdfast::web {
struct PageServices;
}

namespace holdfast::cli {

class SearchService;

class PageService {
 public:
  // Errors: invalid (a setting), io.
  static Result<std::unique_ptr<PageService>> open(const Context& context, const session::SharedStore& stores);
  virtual ~PageService() = default;

  // From now on tells which transcripts change (an empty id: some of them), on a thread of its own, until stop_watching().
  virtual void watch_transcripts(std::function<void(const std::string& id)> changed) = 0;
  virtual void stop_watching() = 0;

  // search may be nullptr; it outlives the pages, too.
  virtual web::PageServices services(SearchService* search) = 0;
};

}  // namespace holdfast::cli
