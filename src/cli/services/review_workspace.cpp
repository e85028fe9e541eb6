#include "cli/services/review_workspace.h"

#include "base/text/text.h"
#include "cli/arguments/typed_path.h"
#include "cli/program/document_settings.h"
#include "kinds/documents/workspace/git_commit.h"
#include "net/run/child.h"

#include <fmt/format.h>

#include <pwd.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

namespace holdfast::cli {

namespace {

Result<std::string> current_folder() {
  std::error_code error;
  const std::filesystem::path here = std::filesystem::current_path(error);
  if (error) return fail(system_error("the current folder", error.value()));
  return here.string();
}

Result<documents::LibraryFolder> folder_here() {
  HF_TRY(const std::string here, current_folder());
  return read_folder(documents::find_work_tree(here).value_or(here));
}

// What git is configured with for that folder; empty when it says nothing, or is not there.
std::string git_setting(const std::string& folder, const char* name) {
  net::ChildCall call;
  call.arguments = {"git", "-C", folder, "config", "--get", name};
  const auto said = net::run_child(call);
  return said && said->exit_code == 0 ? std::string(trim(said->output)) : std::string();
}

std::string login_name() {
  constexpr std::size_t kEnough = 16 * 1024;  // one line of the list of users
  std::vector<char> buffer(kEnough);
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(::getuid(), &entry, buffer.data(), buffer.size(), &found) != 0 || !found) return "reviewer";
  return found->pw_name;
}

}  // namespace

documents::Asker reviewer_here(const Context& context, const std::string& folder, std::string client) {
  documents::Asker asker;
  asker.principal = context.settings.text("principal");
  asker.client = std::move(client);
  asker.reviewer = true;
  asker.name = context.settings.text("review.name");
  if (asker.name.empty()) asker.name = git_setting(folder, "user.name");
  if (asker.name.empty()) asker.name = login_name();
  asker.email = context.settings.text("review.email");
  if (asker.email.empty()) asker.email = git_setting(folder, "user.email");
  return asker;
}

Result<std::unique_ptr<ReviewWorkspace>> ReviewWorkspace::open(const Context& context) {
  HF_TRY(documents::LibrarySettings settings, library_settings(context));
  if (settings.folders.empty()) {
    HF_TRY(documents::LibraryFolder here, folder_here());
    settings.folders.push_back(std::move(here));
  }
  std::unique_ptr<ReviewWorkspace> review(new ReviewWorkspace(context));
  HF_TRY(review->store_, context.open_store());
  review->stores_.emplace(*review->store_);
  HF_CHECK(make_data_folder(context.folders));
  HF_TRY(review->workspace_,
         documents::Workspace::open(std::move(settings), *review->stores_, *context.clock, handle_ttl(context.settings)));
  return review;
}

operations::Documents ReviewWorkspace::documents() {
  operations::Documents documents;
  documents.workspace = workspace_;
  documents.asker = [this]() -> Result<documents::Asker> {
    return reviewer_here(context_, workspace_->library().settings().folders.front().folder, "holdfast review");
  };
  documents.path_of = [this](const std::string& typed) -> Result<std::string> {
    HF_TRY(const std::string here, current_folder());
    return typed_path(workspace_->library(), typed, here);
  };
  documents.commit_on_accept = context_.settings.flag("documents.commit_on_accept");
  return documents;
}

}  // namespace holdfast::cli
