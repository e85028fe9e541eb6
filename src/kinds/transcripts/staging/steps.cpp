// What can die when, and why it still ends well.
//
// Before: new files are written and synced in the operation's own folder; nothing outside has changed. The journal names them
// with their inodes, sizes and times, and old files as they were when they were looked at. A death here is undone by removing the
// folder. Placing: files get their names one by one, never over another, the main transcript last and only when all others are
// synced, so whoever sees a session sees all of it. A death here is undone: what the journal describes is taken out again, and
// what somebody else put there meanwhile is not what it describes, and stays. Unless the last file is in place: then the rest is
// finished, because somebody may have worked with it. Taking: old files are renamed into the folder, the main transcript first,
// each compared before and after; one that changed stops it all, and everything is put back. Taken: from here on it is finished,
// never undone; old files are only unlinked now. Each step may be done twice, so whoever comes after a death begins at the front.
// A power cut may bring back a name that was not synced: every phase is in the journal, synced, before its first step, and every
// folder in which a name came or went is synced before the next phase.

#include "kinds/transcripts/staging/steps.h"

#include "base/files/in_folder.h"

#include <fmt/format.h>

#include <fcntl.h>

#include <cerrno>

namespace holdfast::transcripts {
namespace {

Result<void> move_new(int from, const std::string& name, int to, const std::string& new_name) {
  if (const int problem = rename_new(from, name, to, new_name)) return fail(system_error(new_name, problem));
  return {};
}

Result<std::optional<struct stat>> look_at(int folder, const std::string& name) {
  struct stat status{};
  if (::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) return status;
  if (errno == ENOENT) return std::nullopt;
  return fail(system_error(name, errno));
}

void keep_first(Result<void>& first, Result<void> next) {
  if (first && !next) first = std::move(next);
}

bool is_gone(const Error& error) {
  return error.kind == ErrorKind::not_found;
}

Error conflict_at(const Home& home, const std::string& path) {
  return make_error(ErrorKind::conflict, home.absolute(path) + " exists already", "nothing was changed");
}

}  // namespace

std::string staged_name(std::string_view what, std::size_t number) {
  return fmt::format("{}-{}", what, number);
}

Result<int> Steps::parent(const std::string& path) {
  const std::string_view wanted = parent_of(path);
  if (!parent_ || parent_path_ != wanted) {
    HF_TRY(parent_, open_parent(home_, path));
    parent_path_ = wanted;
  }
  return parent_.get();
}

// Only what lies in the file system of the part it came from, or will go to, can be what the journal means.
Result<std::optional<struct stat>> Steps::look(const std::string& path, std::size_t part) {
  auto folder = parent(path);
  if (!folder && is_gone(folder.error())) return std::nullopt;
  if (!folder) return fail(std::move(folder).error());
  HF_TRY(const auto status, look_at(*folder, last_name_of(path)));
  if (!status || status->st_dev != folder_.device(part)) return std::nullopt;
  return status;
}

Result<void> Steps::place_folder(const NewFolder& folder) {
  HF_TRY(const int to, parent(folder.path));
  syncs_.touch(parent_of(folder.path));
  auto placed = move_new(folder_.part(folder.at.part), staged_name("folder", folder.at.number), to, last_name_of(folder.path));
  // Somebody made it since the operation looked: as good as ours, unless it is not a folder.
  if (!placed && placed.error().kind == ErrorKind::conflict) {
    HF_TRY(const auto there, look_at(to, last_name_of(folder.path)));
    if (!there || !S_ISDIR(there->st_mode)) return fail(conflict_at(home_, folder.path));
    return {};
  }
  return placed;
}

Result<void> Steps::place_file(const JournaledFile& file) {
  HF_TRY(const int to, parent(file.path));
  syncs_.touch(parent_of(file.path));
  auto placed = move_new(folder_.part(file.at.part), staged_name("new", file.at.number), to, last_name_of(file.path));
  if (!placed && placed.error().kind == ErrorKind::conflict) return fail(conflict_at(home_, file.path));
  return placed;
}

// Folders that their owner may not write to get that mode when all is in them, and lose it before it is taken out again.
Result<void> Steps::set_modes(bool final) {
  for (const NewFolder& folder : plan_.new_folders) {
    if ((folder.mode & kOwnerAll) == kOwnerAll) continue;
    HF_TRY(const auto status, look(folder.path, folder.at.part));
    if (!status || status->st_ino != folder.inode) continue;
    HF_TRY(const int in, parent(folder.path));
    const mode_t mode = final ? folder.mode : folder.mode | kOwnerAll;
    if (::fchmodat(in, last_name_of(folder.path).c_str(), mode, 0) != 0) return fail(system_error(folder.path, errno));
  }
  return {};
}

Result<void> Steps::sync_touched() {
  return syncs_.sync_folders(
      [this](const std::string& path) { return path.empty() ? open_folder(home_.folder()) : home_.open_folder(path); });
}

Result<void> Steps::place() {
  for (const NewFolder& folder : plan_.new_folders) HF_CHECK(place_folder(folder));
  for (std::size_t i = 0; i + 1 < plan_.new_files.size(); ++i) HF_CHECK(place_file(plan_.new_files[i]));
  HF_CHECK(set_modes(true));
  HF_CHECK(sync_touched());
  if (plan_.new_files.empty()) return {};
  HF_CHECK(place_file(plan_.new_files.back()));
  return sync_touched();
}

Result<void> Steps::take_file(const OldFile& file) {
  const auto changed = [&] {
    return fail(ErrorKind::conflict, home_.absolute(file.path) + " changed while it was worked on",
                "is the session in use? nothing was changed; try again when it is at rest");
  };
  HF_TRY(const auto before, look(file.path, file.at.part));
  if (!before || mark_of(*before) != file.mark) return changed();
  HF_TRY(const int from, parent(file.path));
  syncs_.touch(parent_of(file.path));
  const std::string name = staged_name("old", file.at.number);
  HF_CHECK(move_new(from, last_name_of(file.path), folder_.part(file.at.part), name));
  // Once more: somebody may have written between the look and the renaming.
  HF_TRY(const auto after, look_at(folder_.part(file.at.part), name));
  if (!after || mark_of(*after) != file.mark) return changed();
  return {};
}

Result<void> Steps::take() {
  for (const OldFile& file : plan_.old_files) HF_CHECK(take_file(file));
  // Their new names first: a power cut between the two must not find them nowhere.
  HF_CHECK(folder_.sync_parts());
  return sync_touched();
}

Result<void> Steps::withdraw(const JournaledFile& file) {
  HF_TRY(const auto status, look(file.path, file.at.part));
  if (!status || mark_of(*status) != file.mark) return {};
  HF_TRY(const int in, parent(file.path));
  syncs_.touch(parent_of(file.path));
  if (::unlinkat(in, last_name_of(file.path).c_str(), 0) != 0) return fail(system_error(file.path, errno));
  return {};
}

Result<void> Steps::withdraw(const NewFolder& folder) {
  HF_TRY(const auto status, look(folder.path, folder.at.part));
  if (!status || status->st_ino != folder.inode) return {};
  HF_TRY(const int in, parent(folder.path));
  syncs_.touch(parent_of(folder.path));
  if (::unlinkat(in, last_name_of(folder.path).c_str(), AT_REMOVEDIR) == 0) return {};
  if (errno == ENOTEMPTY || errno == EEXIST) return {};  // others have put something there
  return fail(system_error(folder.path, errno));
}

Result<void> Steps::put_back(const OldFile& file) {
  const int part = folder_.part(file.at.part);
  if (part < 0) return {};
  const std::string name = staged_name("old", file.at.number);
  HF_TRY(const auto taken, look_at(part, name));
  if (!taken) return {};
  HF_TRY(const auto there, look(file.path, file.at.part));
  if (there && there->st_ino == taken->st_ino) return {};  // linked back already; the other name goes with the folder
  HF_TRY(const int to, parent(file.path));
  syncs_.touch(parent_of(file.path));
  auto back = move_new(part, name, to, last_name_of(file.path));
  if (!back && back.error().kind == ErrorKind::conflict) {
    return fail(ErrorKind::conflict, fmt::format("{} was taken away and made anew by somebody", home_.absolute(file.path)),
                fmt::format("the former file is {}/{}/{}/{}", home_.folder(), kOperationsFolder, folder_.name(), name));
  }
  return back;
}

Result<void> Steps::undo() {
  Result<void> first;
  syncs_.forget_folders();
  keep_first(first, set_modes(false));
  for (auto file = plan_.new_files.rbegin(); file != plan_.new_files.rend(); ++file) keep_first(first, withdraw(*file));
  // An open folder must not be asked after its name has gone.
  for (auto folder = plan_.new_folders.rbegin(); folder != plan_.new_folders.rend(); ++folder) {
    keep_first(first, withdraw(*folder));
    parent_.reset();
  }
  for (auto file = plan_.old_files.rbegin(); file != plan_.old_files.rend(); ++file) keep_first(first, put_back(*file));
  keep_first(first, sync_touched());
  return first;
}

// A power cut may have come between the journal and the folder that the file was taken from.
Result<void> Steps::remove_if_still_there(const OldFile& file) {
  HF_TRY(const auto there, look(file.path, file.at.part));
  if (!there || mark_of(*there) != file.mark) return {};
  HF_TRY(const int in, parent(file.path));
  if (::unlinkat(in, last_name_of(file.path).c_str(), 0) != 0) return fail(system_error(file.path, errno));
  return {};
}

Result<void> Steps::remove_if_empty(const std::string& path) {
  const auto in = parent(path);
  if (!in) return is_gone(in.error()) ? Result<void>{} : fail(in.error());
  const int result = ::unlinkat(*in, last_name_of(path).c_str(), AT_REMOVEDIR);
  const int error_number = errno;
  parent_.reset();  // it may be the next to go
  if (result == 0) {
    removed_folders_.push_back(path);
  } else if (error_number != ENOENT && error_number != ENOTEMPTY && error_number != EEXIST) {
    return fail(system_error(path, error_number));
  }
  return {};
}

Result<void> Steps::finish() {
  Result<void> first;
  for (const OldFile& file : plan_.old_files) keep_first(first, remove_if_still_there(file));
  for (const std::string& path : plan_.old_folders) keep_first(first, remove_if_empty(path));
  return first;
}

Result<Steps::LastPlaced> Steps::last_placed() {
  if (plan_.new_files.empty()) return LastPlaced{};
  const JournaledFile& last = plan_.new_files.back();
  HF_TRY(const auto status, look(last.path, last.at.part));
  if (!status || status->st_ino != last.mark.inode) return LastPlaced{};
  return LastPlaced{true, mark_of(*status) != last.mark};
}

}  // namespace holdfast::transcripts
