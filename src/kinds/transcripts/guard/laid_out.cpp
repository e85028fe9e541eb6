#include "kinds/transcripts/guard/laid_out.h"

namespace holdfast::transcripts {

namespace {

Result<LaidOut> empty_home(const Keeper& keeper, session::Blobs* guard) {
  HF_TRY(const std::string folder, keeper.temporary_folder());
  HF_TRY(KeptHome home, KeptHome::make(folder, guard));
  LaidOut empty;
  empty.home = std::make_unique<KeptHome>(std::move(home));
  empty.keeper = std::unique_ptr<Keeper>(new Keeper(keeper.over(empty.home->homes())));
  return empty;
}

}  // namespace

Result<LaidOut> lay_out(const Keeper& keeper, const KeptSession& session, const KeptVersion& version, const Progress& progress) {
  HF_TRY(session::Blobs* const guard, keeper.guard());
  if (!guard) return fail(ErrorKind::not_found, "there is no guard");
  HF_TRY(LaidOut laid_out, empty_home(keeper, guard));
  HF_TRY(laid_out.session, laid_out.home->lay_out(session, version, progress));
  return laid_out;
}

Result<LaidOut> lay_out(const Keeper& keeper, const KeptBackup& backup, const Progress& progress) {
  HF_TRY(LaidOut laid_out, empty_home(keeper, nullptr));
  HF_TRY(laid_out.session, laid_out.home->lay_out(backup, keeper.now(), progress));
  return laid_out;
}

}  // namespace holdfast::transcripts
