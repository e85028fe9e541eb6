#pragma once

// What the review pages need of the rest of the program.

#include "documents/desk.h"

#include <functional>
#include <string>

namespace holdfast::web {

struct ReviewService {
  // Opened when it is first asked for. Empty, or nullptr: no folder is under review here.
  std::function<Result<documents::Desk*>()> desk;
  // The person behind a login, with name and address as comments and git show them.
  std::function<documents::Asker(const std::string& principal)> reviewer;
  bool commit_on_accept = false;
  // Whether a document lies in a work tree of git, so that accepting it can also commit it. Empty: none does.
  std::function<bool(const std::string& path)> in_git;
};

}  // namespace holdfast::web
