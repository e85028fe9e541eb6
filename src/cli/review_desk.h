#pragma once

// The desk a person reviews at, and who that person is. One for each command; the context outlives it.

#include "cli/context.h"
#include "documents/desk.h"

#include <memory>
#include <string>

namespace holdfast::cli {

class ReviewDesk {
 public:
  // Over --documents, documents.roots or, without either, the git work tree around the current folder, else that folder.
  static Result<std::unique_ptr<ReviewDesk>> open(const Context& context);

  documents::Desk& desk() { return *desk_; }
  // review.name, else git's user.name, else the login name; the address alike, and empty when nobody says it.
  documents::Asker reviewer() const;
  // What a person typed as the path of a document: as list prints it, else as the shell would take it here.
  std::string path_of(const std::string& typed);
  // --path (or PATH), --author, --since.
  Result<documents::ChangeFilter> filter();

 private:
  explicit ReviewDesk(const Context& context) : context_(context) {}

  const Context& context_;
  std::unique_ptr<session::Store> store_;
  std::unique_ptr<documents::Desk> desk_;
};

}  // namespace holdfast::cli
