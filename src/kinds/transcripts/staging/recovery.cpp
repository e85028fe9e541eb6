// What operations left behind whose process died: found, and undone or finished (staging.h).

#include "kinds/transcripts/staging/staging.h"
#include "kinds/transcripts/staging/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

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
  for (const JournaledFile& file : plan.new_files) leftover.new_paths.push_back(file.path);
  for (const OldFile& file : plan.old_files) leftover.old_paths.push_back(file.path);
  return leftover;
}

Result<void> deal_with(const Home& home, OperationFolder& folder, bool finishing) {
  const JournalContent plan = folder.left_behind();
  Steps steps(home, folder, plan);
  HF_CHECK(finishing ? steps.finish() : steps.undo());
  return folder.erase();
}

struct Dead {
  std::vector<Leftover> dealt_with, troubled;
  std::optional<Error> first;  // of the troubles
};

// Every dead operation in turn; one that cannot be dealt with does not keep the others from it.
Result<Dead> for_each_dead(const Home& home, bool act) {
  Dead dead;
  HF_TRY(const auto lock, OperationsLock::acquire(home));
  if (!lock) return dead;
  HF_TRY(const auto operations, lock->operations());
  for (const std::string& operation : operations) {
    const std::string path = fmt::format("{}/{}/{}", home.folder(), kOperationsFolder, operation);
    const auto look = [&]() -> Result<void> {
      HF_TRY(auto folder, OperationFolder::adopt(home, operation));
      if (!folder) return {};
      HF_TRY(Leftover leftover, describe(home, *folder));
      leftover.home = home.folder();
      leftover.folder = path;
      if (act) HF_CHECK(deal_with(home, *folder, leftover.finishing));
      dead.dealt_with.push_back(std::move(leftover));
      return {};
    };
    auto looked = look();
    if (looked) continue;
    Leftover unknown;
    unknown.operation = operation;
    unknown.home = home.folder();
    unknown.folder = path;
    unknown.trouble = looked.error().message;
    dead.troubled.push_back(std::move(unknown));
    if (!dead.first) dead.first = std::move(looked).error().within(path);
  }
  if (act) remove_operations_folder(home);
  return dead;
}

// Nothing of one that died before it had begun, or when all that was left to do was to remove its folder.
std::optional<std::string> note_of(const Leftover& ended) {
  if (ended.what.empty()) return std::nullopt;
  std::string note = fmt::format("a {} of {} that was interrupted ({}) was {} first", ended.what, ended.about,
                                 iso8601(ended.began_at), ended.finishing ? "finished" : "undone");
  if (ended.finishing && !ended.new_paths.empty()) note += fmt::format(": {}/{}", ended.home, ended.new_paths.back());
  return note;
}

}  // namespace

Result<std::vector<Leftover>> leftovers(const Home& home) {
  HF_TRY(Dead dead, for_each_dead(home, false));
  dead.dealt_with.insert(dead.dealt_with.end(), dead.troubled.begin(), dead.troubled.end());
  return std::move(dead.dealt_with);
}

Result<std::vector<Leftover>> recover(const Home& home) {
  HF_TRY(Dead dead, for_each_dead(home, true));
  if (dead.first) return fail(*std::move(dead.first));
  return std::move(dead.dealt_with);
}

Recovered recover_first(const Home& home) {
  Recovered recovered;
  auto dead = for_each_dead(home, true);
  if (!dead) {
    recovered.notes.push_back("what an interrupted operation left could not be looked at: " + dead.error().message);
    return recovered;
  }
  for (const Leftover& each : dead->dealt_with)
    if (auto note = note_of(each)) recovered.notes.push_back(*std::move(note));
  for (const Leftover& each : dead->troubled)
    recovered.notes.push_back(
        fmt::format("an interrupted operation could not be ended: {}; holdfast doctor says more", each.trouble));
  recovered.ended = std::move(dead->dealt_with);
  return recovered;
}

void Recovered::add(Recovered more) {
  std::ranges::move(more.ended, std::back_inserter(ended));
  std::ranges::move(more.notes, std::back_inserter(notes));
}

}  // namespace holdfast::transcripts
