#include "cli/page_service.h"

#include "cli/document_settings.h"
#include "cli/keeper_of_home.h"
#include "cli/review_desk.h"
#include "web/access_tokens.h"

namespace holdfast::cli {

Result<std::unique_ptr<PageService>> PageService::open(const Context& context, session::Store& store) {
  std::unique_ptr<PageService> service(new PageService(context, store));
  HF_TRY(service->keeper_, open_keeper(context, [&store](bool) -> Result<session::Store*> { return &store; }));
  HF_TRY(service->library_, library_settings(context));
  return service;
}

// When the first page asks: a server that nobody looks at opens no folder.
Result<documents::Desk*> PageService::desk() {
  const std::lock_guard lock(mutex_);
  if (!desk_) {
    HF_CHECK(make_data_folder(context_.folders));
    HF_TRY(desk_, documents::Desk::open(library_, store_, *context_.clock, handle_ttl(context_.settings)));
  }
  return desk_.get();
}

// A login other than the one of this user has only its name.
documents::Asker PageService::reviewer(const std::string& principal) {
  documents::Asker asker = reviewer_here(context_, library_.folders.front().folder, "holdfast pages");
  asker.principal = principal;
  if (principal == web::kLocal) return asker;
  asker.name = principal;
  asker.email.clear();
  return asker;
}

web::PageServices PageService::services() {
  web::PageServices services{store_};
  services.keeper = keeper_.get();
  if (!library_.folders.empty()) {
    services.review.desk = [this] { return desk(); };
    services.review.reviewer = [this](const std::string& principal) { return reviewer(principal); };
    services.review.commit_on_accept = context_.settings.flag("documents.commit_on_accept");
  }
  return services;
}

}  // namespace holdfast::cli
