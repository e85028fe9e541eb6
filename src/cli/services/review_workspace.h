#pragma once

// The desk a person reviews at, and who that person is. One for each command; the context outlives it.

#include "cli/program/context.h"
#include "kinds/documents/workspace/workspace.h"

#include <memory>
#include <string>
#include <vector>

namespace holdfast::cli {

// The desk's hints name tools; a person has commands.
Error in_commands(Error error);

// The person who reviews on this machine: review.name, else git's user.name in the folder, else the login name; the address
// alike, and empty when nobody says it. `client` is what the person uses.
documents::Asker reviewer_here(const Context& context, const std::string& folder, std::string client);

class ReviewDesk {
 public:
  // Over --documents, documents.roots or, without either, the git work tree around the current folder, else that folder.
  static Result<std::unique_ptr<ReviewDesk>> open(const Context& context);

  documents::Desk& desk() { return *desk_; }
  documents::Asker reviewer() const;
  // What a person typed as the path of a document (typed_path.h).
  Result<std::string> path_of(const std::string& typed);
  // --path (or PATH), --author, --since.
  Result<documents::ChangeFilter> filter();
  // What the filter leaves. Errors are in_commands.
  Result<std::vector<documents::PendingChange>> changes(const documents::ChangeFilter& filter);

 private:
  explicit ReviewDesk(const Context& context) : context_(context) {}

  const Context& context_;
  std::unique_ptr<session::Store> store_;
  std::optional<session::SharedStore> stores_;
  std::unique_ptr<documents::Desk> desk_;
};

}  // namespace holdfast::cli
