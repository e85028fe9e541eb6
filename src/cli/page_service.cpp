#include "cli/page_service.h"

#include "cli/keeper_of_home.h"

namespace holdfast::cli {

Result<std::unique_ptr<PageService>> PageService::open(const Context& context, session::Store& store) {
  std::unique_ptr<PageService> service(new PageService(context, store));
  HF_TRY(service->keeper_, open_keeper(context, [&store](bool) -> Result<session::Store*> { return &store; }));
  return service;
}

web::PageServices PageService::services() const {
  return {store_, keeper_.get()};
}

}  // namespace holdfast::cli
