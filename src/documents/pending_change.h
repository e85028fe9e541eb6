#pragma once

// One reviewable unit as it is shown to people and models, and all of them in a document (document-review §7 `list_changes`).

#include "base/clock.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

struct PendingChange {
  std::string id, path;
  std::string kind;                             // insertion, deletion, substitution, comment, highlight, edit, create, delete
  std::int64_t line = 0;                        // of the accepted view; 0: the whole file
  std::string del, ins, author, before, after;  // before, after: context without marks
  std::optional<Millis> time;
  bool in_front_matter = false;
  bool stale = false;                 // a proposal whose file has changed since
  std::vector<std::string> comments;  // directly behind it, or of reviewers on a proposal: "name: text"
};

// In the order of the document; path is left empty.
std::vector<PendingChange> pending_in(std::string_view raw);
// Whether there is any: cheaper, and for most documents no more than a look for the openers.
bool has_pending(std::string_view raw);

// "c_k3f9 L2 {--old words--}{++new words++} (dev's AI, 4m ago)"; a side over ten words is shown by its first and last three.
std::string one_line(const PendingChange& change, Millis now);
// Several lines, with context.
std::string several_lines(const PendingChange& change, Millis now);
// Behind the comments that stand directly at this place of the document.
std::size_t thread_end(std::string_view raw, std::size_t at);
// "4s", "5m", "3h", "2d", "7w"
std::string short_age(Millis then, Millis now);

}  // namespace holdfast::documents
