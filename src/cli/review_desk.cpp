#include "cli/review_desk.h"

#include "base/text.h"
#include "cli/document_settings.h"
#include "documents/git_commit.h"
#include "net/child.h"

#include <fmt/format.h>

#include <pwd.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

namespace holdfast::cli {

namespace {

Result<documents::LibraryFolder> folder_here() {
  std::error_code error;
  const std::filesystem::path here = std::filesystem::current_path(error);
  if (error) return fail(system_error("the current folder", error.value()));
  return read_folder(documents::find_work_tree(here.string()).value_or(here.string()));
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

Result<std::unique_ptr<ReviewDesk>> ReviewDesk::open(const Context& context) {
  HF_TRY(documents::LibrarySettings settings, library_settings(context));
  if (settings.folders.empty()) {
    HF_TRY(documents::LibraryFolder here, folder_here());
    settings.folders.push_back(std::move(here));
  }
  std::unique_ptr<ReviewDesk> review(new ReviewDesk(context));
  HF_TRY(review->store_, context.open_store());
  HF_CHECK(make_data_folder(context.folders));
  HF_TRY(review->desk_,
         documents::Desk::open(std::move(settings), *review->store_, *context.clock, handle_ttl(context.settings)));
  return review;
}

documents::Asker ReviewDesk::reviewer() const {
  const std::string& folder = desk_->library().settings().folders.front().folder;
  documents::Asker asker;
  asker.principal = context_.settings.text("principal");
  asker.client = "holdfast review";
  asker.reviewer = true;
  asker.name = context_.settings.text("review.name");
  if (asker.name.empty()) asker.name = git_setting(folder, "user.name");
  if (asker.name.empty()) asker.name = login_name();
  asker.email = context_.settings.text("review.email");
  if (asker.email.empty()) asker.email = git_setting(folder, "user.email");
  return asker;
}

std::string ReviewDesk::path_of(const std::string& typed) {
  if (typed.empty() || desk_->library().find(typed)) return typed;
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(typed, error);
  if (error) return typed;
  if (auto place = desk_->library().place_of(real.string())) return place->path;
  return typed;
}

Result<documents::ChangeFilter> ReviewDesk::filter() {
  const ReviewArguments& given = context_.line.review;
  documents::ChangeFilter filter;
  filter.path = path_of(given.path);
  filter.author = given.author;
  if (!given.since.empty()) {
    auto since = parse_time(given.since);
    if (!since) return fail(std::move(since).error().within("--since"));
    filter.since = *since;
  }
  return filter;
}

}  // namespace holdfast::cli
