#pragma once

// Sessions of a Thoughtbox data folder (reasoning-sessions §7 "Original layout"): files are believed before the manifest, what is
// missing or broken is reported and does not stop the rest, and nothing in the folder is changed. Importing twice brings in only
// what is new.

#include "kinds/reasoning/connections.h"

namespace holdfast::reasoning {

struct ImportReport {
  std::int64_t sessions = 0;  // new ones
  std::int64_t thoughts = 0;
  std::int64_t known = 0;             // were imported before
  std::vector<std::string> problems;  // "<file>: what is wrong"
};

// folder: ~/.thoughtbox, one project of it, or one session. Roots are not known to the original: sessions get `root` (canonical)
// or none, and the project's name. Errors: not_found, those of the store.
Result<ImportReport> import_thoughtbox(session::Store& store, const std::string& folder, const std::string& root,
                                       const Situation& situation);

}  // namespace holdfast::reasoning
