#pragma once

// What the pages of `holdfast serve` are drawn from, opened for one server: the transcripts of this user. The context and the
// store outlive it, and it outlives the pages.

#include "cli/context.h"
#include "transcripts/keeper.h"
#include "web/add_pages.h"

#include <memory>

namespace holdfast::cli {

class PageService {
 public:
  // Errors: invalid (a setting), io.
  static Result<std::unique_ptr<PageService>> open(const Context& context, session::Store& store);

  web::PageServices services() const;

 private:
  PageService(const Context& context, session::Store& store) : context_(context), store_(store) {}

  const Context& context_;
  session::Store& store_;
  std::unique_ptr<transcripts::Keeper> keeper_;
};

}  // namespace holdfast::cli
