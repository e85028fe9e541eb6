#pragma once

// Joining an orphaned tail to its session: the thoughts of one become the continuation of the other, with their provenance; and
// the further roots of a session whose work spans projects.

#include "kinds/reasoning/append.h"

namespace holdfast::reasoning {

struct Stitched {
  session::SessionRecord into;
  std::int64_t thoughts = 0;                  // how many were joined on
  std::int64_t first_number = 0;              // of them, on the main chain
  std::vector<std::string> renamed_branches;  // "a -> a-2": the name was taken
};
// The source stays as it was, archived, with a lineage event that names where its thoughts went; joining it a second time is a
// conflict. Numbers are assigned anew behind the target's last; references among the joined thoughts follow. Errors: invalid (the
// same session), not_found, conflict, too_large.
inline constexpr std::int64_t kMaxStitched = 50'000;  // thoughts in one transaction
Result<Stitched> stitch(session::Store& store, const std::string& from, const std::string& into, const Situation& situation);

// root: canonical. Linking twice and unlinking what is not linked change nothing. Errors: invalid (its own root), too_large.
Result<session::SessionRecord> link_root(session::Store& store, const std::string& session, const std::string& root,
                                         const Situation& situation);
Result<session::SessionRecord> unlink_root(session::Store& store, const std::string& session, const std::string& root,
                                           const Situation& situation);

}  // namespace holdfast::reasoning
