// How far a step had come when its process died.

#include "base/crypto/hash.h"
#include "kinds/documents/files/path_name.h"
#include "kinds/documents/files/step_disk.h"
#include "kinds/documents/files/trash.h"

#include <cerrno>

namespace holdfast::documents {
namespace {

// Something of ours would not be there under its own name.
StepState ready_when(bool lies_ready) {
  return lies_ready ? StepState::before : StepState::undone;
}

}  // namespace

Result<StepState> StepDisk::examine(const JournaledStep& step) {
  if (step.kind == FileStep::Kind::rename) return examine_rename(step);
  if (step.kind == FileStep::Kind::trash) return examine_trash(step);
  const auto temporary = spot(step.temporary);
  std::string waiting;
  if (temporary) {
    HF_TRY(waiting, version_at(*temporary));
  }
  const auto target = spot(step.key);
  if (!target) {  // its folder is missing
    const bool to_be_made = step.kind == FileStep::Kind::create && !step.parents.empty();
    return to_be_made ? ready_when(waiting == step.after) : StepState::unknown;
  }
  if (step.kind == FileStep::Kind::create && is_free(*target)) return ready_when(waiting == step.after);
  HF_TRY(const std::string version, version_at(*target));
  if (version == step.after) {
    if (!temporary || !displaced_another(step, *temporary, waiting)) return StepState::after;
    HF_CHECK(give_back(*temporary, *target, step.after));
    return StepState::unknown;
  }
  if (step.kind == FileStep::Kind::replace && version == step.before) return ready_when(waiting == step.after);
  return StepState::unknown;
}

Result<StepState> StepDisk::examine_rename(const JournaledStep& step) {
  const auto is_there = [&](std::string_view key) {
    const auto found = open_spot(library_, key);
    if (found && step.inode == 0) {
      const std::string version = version_at(*found).value_or("");
      return !version.empty() && (version == step.after || version == step.before);
    }
    const auto status = found ? look_at(*found) : std::nullopt;
    return status && status->st_ino == step.inode;
  };
  if (is_there(step.to)) {
    renamed_.emplace_back(step.key, step.to);
    return StepState::after;
  }
  if (!is_there(step.key)) return StepState::unknown;
  const auto to = open_spot(library_, step.to);
  return ready_when(to ? is_free(*to) : !step.parents.empty());
}

Result<StepState> StepDisk::examine_trash(const JournaledStep& step) {
  HF_TRY(const Spot trashed, trash_spot(step.trash));
  if (!is_free(trashed)) return StepState::after;
  HF_TRY(const Spot copy, trash_spot(name_of_path(step.temporary)));
  const auto ready = read_trash_file(copy);
  const bool lies_ready = ready && to_hex(sha256(ready->bytes)) == step.before;
  const auto aside = spot(step.temporary);
  const auto target = spot(step.key);
  if (!aside || !target) return StepState::unknown;
  // Aside but not in the trash yet: as good as before, since publishing goes on from there.
  HF_TRY(const std::string moved, version_at(*aside));
  if (moved == step.before) return ready_when(lies_ready);
  HF_TRY(const std::string version, version_at(*target));
  return version == step.before ? ready_when(lies_ready) : StepState::unknown;
}

}  // namespace holdfast::documents
