#pragma once

// What the review pages need of the rest of the program.

#include "base/identity.h"
#include "kinds/documents/workspace/workspace.h"

#include <functional>
#include <memory>
#include <string>

namespace holdfast::web {

struct ReviewService {
  // Over the folders that stand in the projects of who asks; opened when it is first asked for. Empty, or nullptr: none does.
  std::function<Result<std::shared_ptr<documents::Workspace>>(const Identity& who)> workspace;
  // The person behind a login, with name and address as comments and git show them.
  std::function<documents::Asker(const Identity& who)> reviewer;
  bool commit_on_accept = false;
  // Whether a document lies in a work tree of git, so that accepting it can also commit it. Empty: none does.
  std::function<bool(const std::string& path)> in_git;
};

}  // namespace holdfast::web
