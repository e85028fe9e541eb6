#include "kinds/documents/files/step_disk.h"

#include "base/files/at_or_below.h"
#include "base/files/path_below.h"
#include "base/run/log.h"
#include "kinds/documents/files/path_name.h"
#include "kinds/documents/files/trash.h"

#include <fmt/format.h>

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

namespace holdfast::documents {
namespace {

using Kind = FileStep::Kind;

constexpr mode_t kFolderMode = 0755;
constexpr int kGiveBackTries = 64;  // somebody who saves faster than we can exchange is no person

std::unexpected<Error> key_changed(std::string_view key) {
  return fail(ErrorKind::conflict, std::string(name_of_path(key)) + " was changed by somebody else meanwhile", "Read it again.");
}

// Where the old file is linked when files cannot be exchanged.
Spot second_name(const Spot& temporary) {
  Spot second;
  second.folder = Fd(::fcntl(temporary.folder.get(), F_DUPFD_CLOEXEC, 0));
  second.name = temporary.name + "~";
  return second;
}

bool is_the_one(const Spot& spot, const JournaledStep& step) {
  if (step.inode == 0) return version_at(spot).value_or("") == step.after;
  const auto status = look_at(spot);
  return status && status->st_ino == step.inode;
}

}  // namespace

std::string StepDisk::now(std::string_view key) const {
  for (const auto& [from, to] : renamed_)
    if (is_at_or_below(key, from)) return to + std::string(key.substr(from.size()));
  return std::string(key);
}

Result<Spot> StepDisk::trash_spot(std::string_view name) const {
  Spot spot;
  HF_TRY(spot.folder, open_folder(trash_folder(library_)));
  spot.name = name;
  return spot;
}

Result<void> StepDisk::publish(const JournaledStep& step) {
  switch (step.kind) {
    case Kind::replace:
      return publish_replace(step);
    case Kind::create:
      return publish_create(step);
    case Kind::rename:
      return publish_rename(step);
    case Kind::trash:
      return publish_trash(step);
  }
  return {};
}

Result<void> StepDisk::retract(const JournaledStep& step) {
  switch (step.kind) {
    case Kind::replace:
      return retract_replace(step);
    case Kind::create:
      return retract_create(step);
    case Kind::rename:
      return retract_rename(step);
    case Kind::trash:
      return retract_trash(step);
  }
  return {};
}

Result<void> StepDisk::publish_replace(const JournaledStep& step) {
  HF_TRY(const Spot target, spot(step.key));
  HF_TRY(const Spot temporary, spot(step.temporary));
  // So that nobody sees our bytes, not even for a moment, when a save is noticed as simply as this.
  const auto status = look_at(target);
  const auto seen = seen_.find(step.key);
  if (!status || (seen != seen_.end() && !same_stamp(seen->second.status, *status))) return key_changed(step.key);
  HF_TRY(const bool exchanged, exchange(temporary, target, step.key));
  if (!exchanged) return publish_over(step, target, temporary);
  const auto displaced = displaced_expected(step, temporary);
  if (displaced && *displaced) return {};
  HF_CHECK(give_back(temporary, target, step.after));
  return displaced ? Result<void>(key_changed(step.key)) : fail(displaced.error());
}

Result<bool> StepDisk::displaced_expected(const JournaledStep& step, const Spot& temporary) const {
  const auto seen = seen_.find(step.key);
  if (seen != seen_.end() && !seen->second.bytes.empty()) return has_bytes(temporary, seen->second.bytes);
  HF_TRY(const std::string version, version_at(temporary));
  return version == step.before;
}

Result<void> StepDisk::give_back(const Spot& temporary, const Spot& target, const std::string& after) {
  const auto ours = look_at(target);
  if (!ours) return fail(system_error(target.name, errno));
  ino_t expected = ours->st_ino;
  for (int tries = 0; tries < kGiveBackTries; ++tries) {
    const auto going_in = look_at(temporary);
    if (!going_in) break;
    HF_TRY(const bool exchanged, exchange(temporary, target, target.name));
    if (!exchanged) break;
    const auto came_out = look_at(temporary);
    // Written in place, ours is not only ours any more.
    const bool untouched = tries > 0 || version_at(temporary).value_or("") == after;
    if (came_out && came_out->st_ino == expected && untouched) return {};
    expected = going_in->st_ino;
  }
  return fail(ErrorKind::io, target.name + ": what was there before lies beside it as " + temporary.name);
}

bool StepDisk::displaced_another(const JournaledStep& step, const Spot& temporary, const std::string& version) {
  return step.kind == Kind::replace && !is_free(temporary) && version != step.before && version != step.after;
}

Result<void> StepDisk::publish_over(const JournaledStep& step, const Spot& target, const Spot& temporary) {
  const Spot second = second_name(temporary);
  if (::linkat(target.folder.get(), target.name.c_str(), second.folder.get(), second.name.c_str(), 0) != 0)
    log(LogLevel::debug, "documents", system_error("the old file has no second name, so it cannot come back", errno).message);
  HF_TRY(const std::string version, version_at(target));
  if (version != step.before) return key_changed(step.key);
  if (::renameat(temporary.folder.get(), temporary.name.c_str(), target.folder.get(), target.name.c_str()) != 0)
    return fail(system_error(step.key, errno));
  return {};
}

Result<void> StepDisk::retract_replace(const JournaledStep& step) {
  HF_TRY(const Spot target, spot(step.key));
  HF_TRY(const Spot temporary, spot(step.temporary));
  HF_TRY(const std::string version, version_at(target));
  if (version != step.after || step.before == step.after) return {};
  HF_TRY(const std::string kept, version_at(temporary));
  if (kept == step.before) return give_back(temporary, target, step.after);
  const Spot second = second_name(temporary);
  HF_TRY(const std::string linked, version_at(second));
  if (linked != step.before) return fail(ErrorKind::io, step.key + ": the old bytes are not there any more");
  if (::renameat(second.folder.get(), second.name.c_str(), target.folder.get(), target.name.c_str()) != 0)
    return fail(system_error(step.key, errno));
  return {};
}

Result<void> StepDisk::make_parents(const JournaledStep& step) {
  for (const std::string& parent : step.parents) {
    HF_TRY(const Spot folder, spot(parent));
    if (::mkdirat(folder.folder.get(), folder.name.c_str(), kFolderMode) != 0 && errno != EEXIST)
      return fail(system_error(parent, errno));
  }
  return {};
}

void StepDisk::remove_parents(const JournaledStep& step) {
  for (auto parent = step.parents.rbegin(); parent != step.parents.rend(); ++parent)
    if (const auto folder = spot(*parent)) ::unlinkat(folder->folder.get(), folder->name.c_str(), AT_REMOVEDIR);
}

Result<void> StepDisk::publish_create(const JournaledStep& step) {
  const auto create = [&]() -> Result<void> {
    HF_CHECK(make_parents(step));
    HF_TRY(const Spot temporary, spot(step.temporary));
    HF_TRY(const Spot target, spot(step.key));
    return rename_to_free(temporary, target, name_of_path(step.key));
  };
  auto created = create();
  if (!created) remove_parents(step);
  return created;
}

Result<void> StepDisk::retract_create(const JournaledStep& step) {
  const auto target = spot(step.key);
  if (target) {
    HF_TRY(const std::string version, version_at(*target));
    if (version == step.after) {
      HF_TRY(const Spot temporary, spot(step.temporary));
      HF_CHECK(rename_to_free(*target, temporary, step.key));
    }
  }
  remove_parents(step);
  return {};
}

Result<void> StepDisk::publish_rename(const JournaledStep& step) {
  const auto rename = [&]() -> Result<void> {
    HF_CHECK(make_parents(step));
    HF_TRY(const Spot from, open_spot(library_, step.key));
    HF_TRY(const Spot to, open_spot(library_, step.to));
    if (!is_the_one(from, step)) return key_changed(step.key);
    HF_CHECK(rename_to_free(from, to, name_of_path(step.to)));
    if (is_the_one(to, step)) return {};
    HF_CHECK(rename_to_free(to, from, step.key));
    return key_changed(step.key);
  };
  auto renamed = rename();
  if (renamed)
    renamed_.emplace_back(step.key, step.to);
  else
    remove_parents(step);
  return renamed;
}

Result<void> StepDisk::retract_rename(const JournaledStep& step) {
  const auto to = open_spot(library_, step.to);
  if (to && is_the_one(*to, step)) {
    HF_TRY(const Spot from, open_spot(library_, step.key));
    HF_CHECK(rename_to_free(*to, from, step.key));
  }
  std::erase(renamed_, std::pair(step.key, step.to));
  remove_parents(step);
  return {};
}

Result<void> StepDisk::publish_trash(const JournaledStep& step) {
  HF_TRY(const Spot target, spot(step.key));
  HF_TRY(const Spot aside, spot(step.temporary));
  HF_TRY(const Spot copy, trash_spot(aside.name));
  HF_TRY(const Spot trashed, trash_spot(step.trash));
  // In a recovery it may be aside already.
  if (is_free(aside)) HF_CHECK(rename_to_free(target, aside, step.key));
  const auto version = version_at(aside);
  auto moved =
      version && *version == step.before ? rename_to_free(copy, trashed, step.trash) : Result<void>(key_changed(step.key));
  if (!moved) HF_CHECK(rename_to_free(aside, target, step.key));
  return moved;
}

Result<void> StepDisk::retract_trash(const JournaledStep& step) {
  HF_TRY(const Spot target, spot(step.key));
  HF_TRY(const Spot aside, spot(step.temporary));
  HF_TRY(const Spot trashed, trash_spot(step.trash));
  if (!is_free(aside)) HF_CHECK(rename_to_free(aside, target, step.key));
  if (!remove_at(trashed)) return fail(system_error(step.trash, errno));
  return {};
}

bool StepDisk::discard(const JournaledStep& step) {
  const auto target = spot(step.key), temporary = spot(step.temporary);
  const bool ours_stands = target && version_at(*target).value_or("") == step.after;
  if (ours_stands && temporary && displaced_another(step, *temporary, version_at(*temporary).value_or(""))) {
    // It gets a name that its owner sees.
    Spot seen = second_name(*temporary);
    seen.name = target->name + ".saved-meanwhile";
    const auto shown = rename_to_free(*temporary, seen, seen.name);
    log(LogLevel::error, "documents",
        fmt::format("{}: what somebody saved meanwhile lies beside it as {}", step.key, shown ? seen.name : temporary->name));
    return shown.has_value();
  }
  return remove_temporaries(step);
}

bool StepDisk::remove_temporaries(const JournaledStep& step) {
  if (step.temporary.empty()) return true;
  bool removed = true;
  if (const auto temporary = spot(step.temporary)) {
    removed = remove_at(*temporary);
    // Looked at first: it is there only on file systems that cannot exchange.
    const Spot second = second_name(*temporary);
    removed = (is_free(second) || remove_at(second)) && removed;
  }
  if (step.kind != Kind::trash) return removed;
  const auto copy = trash_spot(name_of_path(step.temporary));
  return copy && remove_at(*copy) && removed;
}

Result<void> StepDisk::sync(const std::vector<JournaledStep>& steps) {
  // All that was staged has its folders there, too.
  HF_CHECK(sync_staged());
  const auto touch = [this](std::string_view key) { syncs_.touch(parent_of(key)); };
  bool trashes = false;
  for (const JournaledStep& step : steps) {
    if (syncs_.syncs_wholes() && step.kind != Kind::rename) continue;
    touch(now(step.key));
    if (step.kind == Kind::rename) touch(step.key);
    if (!step.temporary.empty()) touch(now(step.temporary));
    if (!step.to.empty()) touch(step.to);
    for (const std::string& parent : step.parents) touch(parent);
    trashes = trashes || step.kind == Kind::trash;
  }
  if (trashes) {
    HF_TRY(const Spot trash, trash_spot(""));
    HF_CHECK(sync_spot_folder(trash));
  }
  // One that cannot be opened has been taken back.
  return syncs_.sync_folders([this](const std::string& folder) -> Result<Fd> {
    auto spot = open_spot(library_, folder + "/.");
    if (!spot) return fail(ErrorKind::not_found, folder);
    return std::move(spot->folder);
  });
}

}  // namespace holdfast::documents
