#include "kinds/transcripts/guard/laid_out.h"

namespace holdfast::transcripts {

Result<LaidOut> lay_out(const Keeper& keeper, const KeptSession& session, const KeptVersion& version, const Progress& progress) {
  HF_TRY(session::Blobs* const guard, keeper.guard());
  if (!guard) return fail(ErrorKind::not_found, "there is no guard");
  HF_TRY(const std::string folder, keeper.temporary_folder());
  HF_TRY(KeptHome home, KeptHome::make(folder, *guard));
  LaidOut laid_out;
  HF_TRY(laid_out.session, home.lay_out(session, version, progress));
  laid_out.keeper = std::unique_ptr<Keeper>(new Keeper(keeper.over(home.homes())));
  laid_out.home = std::make_unique<KeptHome>(std::move(home));
  return laid_out;
}

}  // namespace holdfast::transcripts
