#pragma once

// How one step of an operation is done on the disk, and how it is taken back. apply_steps does it for the first time, recovery
// goes on from wherever a crash left it; both through here.
//
// Bytes that go and bytes that come change places (renameat2 with RENAME_EXCHANGE): the old file is then under the temporary
// name, where it is compared once more with what the caller saw, and from where it can come back. So there is no moment in which
// a person's save could be lost. Where the file system cannot exchange, the old file is linked under a second temporary name.
//
// Renames come last in an operation, and keys in a journal are those from before it. A StepDisk knows which renames have
// happened and looks for everything where it is now.

#include "base/files/sync_set.h"
#include "kinds/documents/files/journal.h"
#include "kinds/documents/files/spot.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::documents {

// How far a step has come.
enum class StepState {
  before,   // can be done: nothing has happened, and what is needed lies ready
  after,    // has happened
  undone,   // nothing has happened, and what is needed is not there
  unknown,  // neither: somebody else has been at it
};

class StepDisk {
 public:
  explicit StepDisk(Library& library) : library_(library) {}

  // Refuses what cannot succeed, before anything is written. Fills in what the journal has to say. The step's bytes are needed
  // until it is published.
  Result<void> prepare(const FileStep& step, JournaledStep& journaled);
  // Writes what will be needed. Fills `state` with what will stand there.
  Result<void> stage(const FileStep& step, const JournaledStep& journaled, const JournaledOperation& operation, FileState& state);
  // Behind the last one that is staged, in front of the first that is published.
  Result<void> sync_staged();
  // Errors: conflict (not as expected, or there is something), io; this step has not happened then.
  Result<void> publish(const JournaledStep& step);
  // However far it has come. What was not done, and what somebody changed since, it leaves alone. Errors: io, conflict.
  Result<void> retract(const JournaledStep& step);
  // Whether none is left. When it is false the operation must not be called done, so that recovery tries again.
  bool remove_temporaries(const JournaledStep& step);
  // The same where something went wrong: but what a person saved, and what could not be given back, stays.
  bool discard(const JournaledStep& step);
  // Every folder in which something got or lost a name.
  Result<void> sync(const std::vector<JournaledStep>& steps);

  // In a recovery. Gives back what a person saved in the very moment in which the process died.
  Result<StepState> examine(const JournaledStep& step);

 private:
  Result<Spot> spot(std::string_view key) const { return open_spot(library_, now(key)); }
  std::string now(std::string_view key) const;
  Result<Spot> trash_spot(std::string_view name) const;

  Result<void> publish_replace(const JournaledStep& step);
  // Whether what has just changed places is what the caller saw.
  Result<bool> displaced_expected(const JournaledStep& step, const Spot& temporary) const;
  // Exchanges once more, so that what had to give way is back under its name. What comes out has to be what we put there: if it
  // is not, somebody has saved in this very moment, and the newest goes in again.
  static Result<void> give_back(const Spot& temporary, const Spot& target, const std::string& after);
  // Whether what lies under the temporary name (it has this version) is neither ours nor what we meant to replace.
  static bool displaced_another(const JournaledStep& step, const Spot& temporary, const std::string& version);
  Result<void> publish_over(const JournaledStep& step, const Spot& target, const Spot& temporary);
  Result<void> publish_create(const JournaledStep& step);
  Result<void> publish_rename(const JournaledStep& step);
  Result<void> publish_trash(const JournaledStep& step);
  Result<void> retract_replace(const JournaledStep& step);
  Result<void> retract_create(const JournaledStep& step);
  Result<void> retract_rename(const JournaledStep& step);
  Result<void> retract_trash(const JournaledStep& step);
  Result<void> make_parents(const JournaledStep& step);
  void remove_parents(const JournaledStep& step);
  Result<StepState> examine_rename(const JournaledStep& step);
  Result<StepState> examine_trash(const JournaledStep& step);

  static constexpr std::size_t kSyncEach = 16;

  Library& library_;
  SyncSet syncs_{kSyncEach};
  std::vector<std::pair<std::string, std::string>> renamed_;  // keys, from and to
  struct Seen {
    struct stat status{};
    std::string_view bytes;  // of the step; none when only their version is known
  };
  std::map<std::string, Seen> seen_;  // by key: what was compared in prepare
};

}  // namespace holdfast::documents
