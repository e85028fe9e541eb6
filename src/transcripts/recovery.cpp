// What operations left behind whose process died: found, and undone or finished (staging.h).

#include "transcripts/staging.h"
#include "transcripts/steps.h"

#include <fmt/format.h>

namespace holdfast::transcripts {
namespace {

// When the last new file is in place everything else is, and nothing remains to be done unless files were to go. Those are put
// back, because that is the state people know; but never is a file undone that somebody has written to since.
Result<bool> is_to_finish(Steps& steps, const JournalContent& plan) {
  if (plan.phase == Phase::taken) return true;
  if (plan.phase != Phase::placing && plan.phase != Phase::taking) return false;
  HF_TRY(const Steps::LastPlaced last, steps.last_placed());
  return last.in_place && (last.changed || plan.old_files.empty());
}

Result<Leftover> describe(const Home& home, OperationFolder& folder) {
  const JournalContent& plan = folder.left_behind();
  Steps steps(home, folder, plan);
  HF_TRY(const bool finishing, is_to_finish(steps, plan));
  Leftover leftover;
  leftover.operation = folder.name();
  leftover.what = plan.what;
  leftover.about = plan.about;
  leftover.began_at = plan.began_at;
  leftover.finishing = finishing;
  for (const JournaledFile& file : plan.new_files) leftover.paths.push_back(file.path);
  for (const OldFile& file : plan.old_files) leftover.paths.push_back(file.path);
  return leftover;
}

Result<void> deal_with(const Home& home, OperationFolder& folder, bool finishing) {
  const JournalContent plan = folder.left_behind();
  Steps steps(home, folder, plan);
  HF_CHECK(finishing ? steps.finish() : steps.undo());
  return folder.erase();
}

// Every dead operation in turn; one that cannot be dealt with does not keep the others from it.
Result<std::vector<Leftover>> for_each_dead(const Home& home, bool act) {
  std::vector<Leftover> leftovers;
  HF_TRY(const auto lock, OperationsLock::acquire(home));
  if (!lock) return leftovers;
  HF_TRY(const auto operations, lock->operations());
  std::optional<Error> first;
  for (const std::string& operation : operations) {
    const std::string path = fmt::format("{}/{}/{}", home.folder(), kOperationsFolder, operation);
    const auto look = [&]() -> Result<void> {
      HF_TRY(auto folder, OperationFolder::adopt(home, operation));
      if (!folder) return {};
      HF_TRY(Leftover leftover, describe(home, *folder));
      leftover.folder = path;
      if (act) HF_CHECK(deal_with(home, *folder, leftover.finishing));
      leftovers.push_back(std::move(leftover));
      return {};
    };
    auto looked = look();
    if (looked) continue;
    Leftover unknown;
    unknown.operation = operation;
    unknown.folder = path;
    unknown.trouble = looked.error().message;
    if (!act) leftovers.push_back(std::move(unknown));
    if (!first) first = std::move(looked).error().within(path);
  }
  if (act) remove_operations_folder(home);
  if (act && first) return fail(*std::move(first));
  return leftovers;
}

}  // namespace

Result<std::vector<Leftover>> leftovers(const Home& home) {
  return for_each_dead(home, false);
}

Result<std::vector<Leftover>> recover(const Home& home) {
  return for_each_dead(home, true);
}

}  // namespace holdfast::transcripts
