#include "base/run/log.h"
#include "kinds/documents/files/document_file.h"
#include "kinds/documents/files/step_disk.h"
#include "kinds/documents/files/sweep.h"

#include <fmt/format.h>

#include <set>

namespace holdfast::documents {
namespace {

using End = JournaledOperation::End;

Result<std::vector<DocumentLock>> lock_documents_of(Library& library, const JournaledOperation& operation) {
  std::set<std::string> keys;
  for (const JournaledStep& step : operation.steps) {
    keys.insert(step.key);
    if (!step.to.empty()) keys.insert(step.to);
  }
  return DocumentLock::take_all(library, keys);
}

class Recovery {
 public:
  Recovery(Library& library, const JournaledOperation& operation) : disk_(library), operation_(operation) {}

  Result<End> run() {
    HF_TRY(const bool can_finish, examine());
    End end = End::done;
    if (operation_.end != End::committed && (!can_finish || !finish())) {
      HF_CHECK(take_back());
      end = End::undone;
    }
    for (const JournaledStep& step : operation_.steps)
      if (!disk_.discard(step)) return fail(ErrorKind::io, "a temporary file cannot be removed");
    HF_CHECK(disk_.sync(operation_.steps));
    return end;
  }

 private:
  // From the back: renames come last, and the others are where they led.
  Result<bool> examine() {
    states_.resize(operation_.steps.size());
    bool can_finish = true;
    for (std::size_t at = operation_.steps.size(); at-- > 0;) {
      HF_TRY(states_[at], disk_.examine(operation_.steps[at]));
      can_finish = can_finish && (states_[at] == StepState::before || states_[at] == StepState::after);
    }
    return can_finish;
  }

  bool finish() {
    for (std::size_t at = 0; at < operation_.steps.size(); ++at) {
      if (states_[at] == StepState::after) continue;
      if (const auto done = disk_.publish(operation_.steps[at]); !done) {
        log(LogLevel::warn, "documents", fmt::format("{} cannot be finished: {}", operation_.id, done.error().message));
        return false;
      }
    }
    return true;
  }

  Result<void> take_back() {
    for (auto step = operation_.steps.rbegin(); step != operation_.steps.rend(); ++step) HF_CHECK(disk_.retract(*step));
    return {};
  }

  StepDisk disk_;
  const JournaledOperation& operation_;
  std::vector<StepState> states_;
};

Result<void> recover(Library& library, OperationAtWork& work) {
  for (const JournaledStep& step : work.operation().steps)
    if (const auto place = library.place_of(step.key); place && library.settings().folders[place->folder].read_only)
      return fail(ErrorKind::refused, place->path + ": this folder may be read, not changed");
  HF_TRY(const auto locks, lock_documents_of(library, work.operation()));
  HF_TRY(const End end, Recovery(library, work.operation()).run());
  log(LogLevel::info, "documents",
      fmt::format("{} ({}) had been interrupted and was {}", work.operation().id, work.operation().note.action,
                  end == End::done ? "finished" : "taken back"));
  return work.end(end, true);
}

}  // namespace

Result<void> recover_library(Library& library) {
  {
    HF_TRY(auto abandoned, OperationAtWork::adopt_abandoned(library));
    for (OperationAtWork& work : abandoned) {
      if (const auto recovered = recover(library, work); !recovered)
        log(LogLevel::warn, "documents",
            fmt::format("{} is left for the next start: {}", work.operation().id, recovered.error().message));
    }
  }
  sweep_temporaries(library);
  sweep_locks(library);
  return rotate_journal(library);
}

}  // namespace holdfast::documents
