#pragma once

// The workspace that a person reviews, and who that person is. One for each command; the context outlives it.

#include "cli/program/context.h"
#include "operations/context.h"

#include <memory>
#include <string>

namespace holdfast::cli {

// The person who reviews on this machine: review.name, else git's user.name in the folder, else the login name; the address
// alike, and empty when nobody says it. `client` is what the person uses.
documents::Asker reviewer_here(const Context& context, const std::string& folder, std::string client);

class ReviewWorkspace {
 public:
  // Over --documents, documents.roots or, without either, the git work tree around the current folder, else that folder.
  static Result<std::unique_ptr<ReviewWorkspace>> open(const Context& context);

  // As operations see it, with paths as a person types them (typed_path.h). This outlives it.
  operations::Documents documents();

 private:
  explicit ReviewWorkspace(const Context& context) : context_(context) {}

  const Context& context_;
  std::unique_ptr<session::Store> store_;
  std::optional<session::SharedStore> stores_;
  std::shared_ptr<documents::Workspace> workspace_;
};

}  // namespace holdfast::cli
