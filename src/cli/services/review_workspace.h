#pragma once

// The workspace that a person reviews, and who that person is. One for each command; the context outlives it.

#include "cli/program/context.h"
#include "kinds/documents/workspace/workspace.h"

#include <memory>
#include <string>
#include <vector>

namespace holdfast::cli {

// The workspace's hints name tools; a person has commands.
Error in_commands(Error error);

// The person who reviews on this machine: review.name, else git's user.name in the folder, else the login name; the address
// alike, and empty when nobody says it. `client` is what the person uses.
documents::Asker reviewer_here(const Context& context, const std::string& folder, std::string client);

class ReviewWorkspace {
 public:
  // Over --documents, documents.roots or, without either, the git work tree around the current folder, else that folder.
  static Result<std::unique_ptr<ReviewWorkspace>> open(const Context& context);

  documents::Workspace& workspace() { return *workspace_; }
  documents::Asker reviewer() const;
  // What a person typed as the path of a document (typed_path.h).
  Result<std::string> path_of(const std::string& typed);
  // --path (or PATH), --author, --since.
  Result<documents::ChangeFilter> filter();
  // What the filter leaves. Errors are in_commands.
  Result<std::vector<documents::PendingChange>> changes(const documents::ChangeFilter& filter);

 private:
  explicit ReviewWorkspace(const Context& context) : context_(context) {}

  const Context& context_;
  std::unique_ptr<session::Store> store_;
  std::optional<session::SharedStore> stores_;
  std::unique_ptr<documents::Workspace> workspace_;
};

}  // namespace holdfast::cli
