#include "cli/services/page_service.h"

#include "base/identity.h"
#include "base/run/log.h"
#include "cli/program/care_settings.h"
#include "cli/program/document_settings.h"
#include "cli/services/keeper_of_home.h"
#include "cli/services/research_service.h"
#include "cli/services/review_workspace.h"
#include "cli/services/search_service.h"
#include "kinds/documents/workspace/workspace.h"
#include "kinds/transcripts/passages/file_watch.h"
#include "kinds/transcripts/verbs/keeper.h"
#include "operations/readable_kinds.h"
#include "tools/documents/document_workspaces.h"
#include "web/pages/add_pages.h"
#include "web/pages/shown.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <map>
#include <mutex>

namespace holdfast::cli {

namespace {

// What a person would ask about first; nothing secret, and nothing that the other pages say.
web::Facts settings_that_matter(const Context& context) {
  const Settings& settings = context.settings;
  web::Facts facts = {{"Data folder", context.folders.data}, {"Version", HOLDFAST_VERSION}};
  facts.emplace_back("Login needed", settings.flag("no_auth") ? "no (--no-auth)" : "yes");
  facts.emplace_back("Listens on", settings.text("host"));
  facts.emplace_back("Tools", fmt::format("{}", fmt::join(settings.list("tools"), ", ")));
  facts.emplace_back("Documents", settings.list("documents.roots").empty()
                                      ? "none"
                                      : fmt::format("{}", fmt::join(settings.list("documents.roots"), ", ")));
  return facts;
}

Result<web::Facts> facts_of(session::Blobs& guard) {
  HF_TRY(const session::Blobs::State state, guard.state());
  const auto size = [](std::uint64_t bytes) { return web::readable_size(static_cast<std::int64_t>(bytes)); };
  web::Facts facts = {{"Files kept", std::to_string(state.files)}, {"Versions", std::to_string(state.versions)}};
  facts.emplace_back("Bytes kept", size(state.bytes));
  facts.emplace_back("On the disk", size(state.stored_bytes));
  if (state.garbage_bytes > 0) facts.emplace_back("To be cleaned", size(state.garbage_bytes));
  return facts;
}

class OpenPages final : public PageService {
 public:
  OpenPages(const Context& context, const session::SharedStore& stores)
      : context_(context), stores_(stores), own_(stores, local_identity()) {}

  Result<void> open_parts();

  void watch_transcripts(std::function<void(const std::string& id)> changed) override;
  void stop_watching() override;
  web::PageServices services(SearchService* search) override;

 private:
  Result<std::shared_ptr<documents::Workspace>> workspace(const Identity& who);
  documents::Asker reviewer(const Identity& who);
  Result<std::unique_ptr<research::Research>> research(session::Store& store);
  bool in_git(const std::string& path) const;

  const Context& context_;
  const session::SharedStore& stores_;
  session::StoreView own_;  // of the user who runs this: transcripts are theirs
  std::unique_ptr<transcripts::Keeper> keeper_;
  documents::LibrarySettings library_;
  std::mutex mutex_;
  std::unique_ptr<transcripts::TranscriptWatch> watch_;  // guarded by mutex_
  // By the folders it is over: logins of different projects see different ones. Guarded by mutex_.
  std::map<std::string, std::shared_ptr<documents::Workspace>> workspaces_;
  std::unique_ptr<ResearchParts> research_;  // guarded by mutex_ until it is there
};

Result<void> OpenPages::open_parts() {
  HF_TRY(keeper_, open_keeper(context_, [this](bool) -> Result<session::Store*> { return &own_; }));
  end_what_died(*keeper_);
  HF_TRY(library_, library_settings(context_));
  return {};
}

void OpenPages::watch_transcripts(std::function<void(const std::string& id)> changed) {
  auto watch = transcripts::TranscriptWatch::start(keeper_->homes(), std::move(changed));
  const std::lock_guard lock(mutex_);
  if (watch)
    watch_ = *std::move(watch);
  else
    log(LogLevel::warn, "pages", "pages do not follow transcripts: " + watch.error().message);
}

void OpenPages::stop_watching() {
  const std::lock_guard lock(mutex_);
  watch_.reset();
}

// When the first page asks: a server that nobody looks at opens no folder.
Result<std::shared_ptr<documents::Workspace>> OpenPages::workspace(const Identity& who) {
  documents::LibrarySettings library = library_;
  library.one_of_several = library.folders.size() > 1;
  library.folders = tools::folders_inside(std::move(library.folders), who);
  if (library.folders.empty()) return nullptr;
  std::string key;
  for (const documents::LibraryFolder& folder : library.folders) key += folder.folder + '\n';
  const std::lock_guard lock(mutex_);
  if (const auto known = workspaces_.find(key); known != workspaces_.end()) return known->second;
  HF_CHECK(make_data_folder(context_.folders));
  HF_TRY(auto opened, documents::Workspace::open(std::move(library), stores_, *context_.clock, handle_ttl(context_.settings)));
  if (workspaces_.size() >= tools::kMaxOpenWorkspaces) workspaces_.clear();  // those in use live on with who uses them
  return workspaces_[key] = std::move(opened);
}

// A login other than the one of this user has only its name.
documents::Asker OpenPages::reviewer(const Identity& who) {
  documents::Asker asker = reviewer_here(context_, library_.folders.front().folder, "holdfast pages");
  asker.principal = who.principal;
  asker.projects = who.projects;
  if (who.principal == kLocalPrincipal) return asker;
  asker.name = who.person;
  asker.email.clear();
  return asker;
}

// Looked for as git does, upwards. With several folders the first part of a path is the name of one.
bool OpenPages::in_git(const std::string& path) const {
  const bool one = library_.folders.size() == 1;
  const std::string name = path.substr(0, path.find('/'));
  std::error_code ignored;
  for (const auto& folder : library_.folders) {
    if (!one && folder.name != name) continue;
    const std::filesystem::path below = one || name.size() == path.size() ? path : path.substr(name.size() + 1);
    for (std::filesystem::path at = (folder.folder / below).parent_path(); at.has_relative_path(); at = at.parent_path())
      if (std::filesystem::exists(at / ".git", ignored)) return true;
  }
  return false;
}

Result<std::unique_ptr<research::Research>> OpenPages::research(session::Store& store) {
  const std::lock_guard lock(mutex_);
  if (!research_) {
    HF_TRY(research_, ResearchParts::make(context_));
  }
  return research_->research(store);
}

web::PageServices OpenPages::services(SearchService* search) {
  web::PageServices services{stores_};
  services.keeper = keeper_.get();
  if (!library_.folders.empty()) {
    services.review.workspace = [this](const Identity& who) { return workspace(who); };
    services.review.reviewer = [this](const Identity& who) { return reviewer(who); };
    services.review.in_git = [this](const std::string& path) { return in_git(path); };
    services.review.commit_on_accept = context_.settings.flag("documents.commit_on_accept");
  }
  services.research = [this](session::Store& store) { return research(store); };
  services.retention = retention_policy(context_.settings);
  if (search) services.finder = &search->finder();
  if (search && search->guard()) services.storage.guard = [guard = search->guard()] { return facts_of(*guard); };
  services.kinds = operations::readable_kinds();
  services.storage.settings = settings_that_matter(context_);
  return services;
}

}  // namespace

Result<std::unique_ptr<PageService>> PageService::open(const Context& context, const session::SharedStore& stores) {
  auto service = std::make_unique<OpenPages>(context, stores);
  HF_CHECK(service->open_parts());
  return service;
}

}  // namespace holdfast::cli
