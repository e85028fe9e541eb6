#pragma once

// A session of the guard, or of a backup, as files, with the verbs over them: for what reads sessions from a home and must not
// know of others.

#include "kinds/transcripts/guard/kept_home.h"
#include "kinds/transcripts/verbs/keeper.h"

#include <memory>

namespace holdfast::transcripts {

struct LaidOut {
  std::unique_ptr<KeptHome> home;  // the files go with it
  std::unique_ptr<Keeper> keeper;  // over that home
  AnySession session;
};

// In the keeper's temporary folder. Errors: not_found (no guard), those of KeptHome.
Result<LaidOut> lay_out(const Keeper& keeper, const KeptSession& session, const KeptVersion& version = {},
                        const Progress& progress = {});
Result<LaidOut> lay_out(const Keeper& keeper, const KeptBackup& backup, const Progress& progress = {});

}  // namespace holdfast::transcripts
