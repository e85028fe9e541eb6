// The part of a step in front of the moment in which it happens.

#include "base/crypto/hash.h"
#include "base/files/at_or_below.h"
#include "base/files/file.h"
#include "kinds/documents/files/path_name.h"
#include "kinds/documents/files/step_disk.h"
#include "kinds/documents/files/trash.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/xattr.h>

#include <algorithm>
#include <cerrno>

namespace holdfast::documents {
namespace {

using Kind = FileStep::Kind;

constexpr mode_t kModeBits = 07777;
constexpr std::size_t kMaxAttributes = 64 * 1024;  // names, and a value: what Linux allows

std::unexpected<Error> place_changed(const Place& place) {
  return fail(ErrorKind::conflict, place.path + " was changed by somebody else meanwhile", "Read it again.");
}

Result<struct stat> check_expected(const FileStep& step, const Spot& target) {
  const auto status = look_at(target);
  if (!status || !S_ISREG(status->st_mode)) return place_changed(step.place);
  if (same_stamp(step.expected, *status)) return *status;  // compared by its bytes when it changes places
  HF_TRY(const std::string version, version_at(target));
  if (version != step.expected.version) return place_changed(step.place);
  return *status;
}

Result<void> check_size(const FileStep& step) {
  if (step.bytes.size() <= kMaxDocumentBytes) return {};
  return fail(ErrorKind::too_large,
              fmt::format("{} would have {} bytes, more than {}", step.place.path, step.bytes.size(), kMaxDocumentBytes));
}

// Outermost first.
Result<std::vector<std::string>> missing_parents(Library& library, const Place& place) {
  std::vector<std::string> missing;
  for (std::string_view parent = parent_of(place.key);; parent = parent_of(parent)) {
    const auto found = library.place_of(parent);
    if (!found) return fail(ErrorKind::conflict, place.path + ": its folder is not in the library any more");
    if (found->is_folder) break;
    if (found->exists) return fail(ErrorKind::conflict, found->path + " is a file, not a folder", "", "exists");
    missing.emplace_back(parent);
  }
  std::ranges::reverse(missing);
  return missing;
}

Result<Fd> create_temporary(const Spot& spot, mode_t mode) {
  Fd file(::openat(spot.folder.get(), spot.name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!file) return fail(system_error("a temporary file", errno));
  return file;
}

// Access lists are among them: without them a file could be open to more people than before. What cannot be set (labels that the
// system gives itself) is left out.
void copy_attributes(int from, int to) {
  std::string names(kMaxAttributes, '\0');
  const ssize_t length = ::flistxattr(from, names.data(), names.size());
  if (length <= 0) return;
  names.resize(static_cast<std::size_t>(length));
  std::string value(kMaxAttributes, '\0');
  for (std::size_t at = 0; at < names.size(); at = names.find('\0', at) + 1) {
    const char* name = names.c_str() + at;
    const ssize_t size = ::fgetxattr(from, name, value.data(), value.size());
    if (size >= 0) ::fsetxattr(to, name, value.data(), static_cast<std::size_t>(size), 0);
  }
}

Result<void> keep_attributes(const Spot& target, const Fd& file, const Place& place) {
  const Fd old(::openat(target.folder.get(), target.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!old) return fail(system_error(place.path, errno));
  struct stat before{}, made{};
  if (::fstat(old.get(), &before) != 0 || ::fstat(file.get(), &made) != 0) return fail(system_error(place.path, errno));
  if ((before.st_uid != made.st_uid || before.st_gid != made.st_gid) && ::fchown(file.get(), before.st_uid, before.st_gid) != 0)
    return fail(ErrorKind::refused, place.path + " belongs to another user or group, which could not be kept",
                "Run as its owner, or change who owns it.");
  copy_attributes(old.get(), file.get());
  if (::fchmod(file.get(), before.st_mode & kModeBits) != 0) return fail(system_error("mode of " + place.path, errno));
  return {};
}

Result<Fd> write_trash_copy(const Spot& target, const Spot& copy, const FileStep& step, const JournaledStep& journaled,
                            Millis time) {
  const Fd old(::openat(target.folder.get(), target.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat status{};
  if (!old || ::fstat(old.get(), &status) != 0 || !S_ISREG(status.st_mode)) return place_changed(step.place);
  TrashFile file;
  HF_TRY(file.bytes, read_all(old.get(), kMaxDocumentBytes));
  if (to_hex(sha256(file.bytes)) != journaled.before) return place_changed(step.place);
  file.about = {journaled.trash, step.place.path, step.place.key, time, file.bytes.size()};
  file.mode = status.st_mode & kModeBits;
  HF_TRY(Fd made, create_temporary(copy, 0600));
  HF_CHECK(write_all(made.get(), to_trash_bytes(file)));
  return made;
}

}  // namespace

Result<void> StepDisk::prepare(const FileStep& step, JournaledStep& journaled) {
  HF_CHECK(library_.require_writable(step.place));
  HF_CHECK(check_size(step));
  journaled.kind = step.kind;
  journaled.key = step.place.key;
  std::string beside(parent_of(step.place.key));
  switch (step.kind) {
    case Kind::trash:
      journaled.trash = make_trash_id();
      [[fallthrough]];
    case Kind::replace: {
      const auto target = open_spot(library_, step.place.key);
      if (!target) return place_changed(step.place);
      HF_TRY(const struct stat status, check_expected(step, *target));
      seen_[step.place.key] = {status, step.expected.bytes};
      journaled.before = step.expected.version;
      if (step.kind == Kind::replace) journaled.after = to_hex(sha256(step.bytes));
      break;
    }
    case Kind::create: {
      HF_TRY(journaled.parents, missing_parents(library_, step.place));
      if (!journaled.parents.empty()) beside = parent_of(journaled.parents.front());
      const auto target = open_spot(library_, step.place.key);
      if (target && !is_free(*target)) return fail(ErrorKind::conflict, step.place.path + " is there already", "", "exists");
      journaled.after = to_hex(sha256(step.bytes));
      break;
    }
    case Kind::rename: {
      HF_CHECK(library_.require_writable(step.to));
      if (is_at_or_below(step.to.key, step.place.key))
        return fail(ErrorKind::invalid, step.place.path + " cannot be moved into itself", "", "bad_argument");
      journaled.to = step.to.key;
      HF_TRY(journaled.parents, missing_parents(library_, step.to));
      const auto target = open_spot(library_, step.to.key);
      if (target && !is_free(*target)) return fail(ErrorKind::conflict, step.to.path + " is there already", "", "exists");
      const auto source = open_spot(library_, step.place.key);
      const auto status = source ? documents::look_at(*source) : std::nullopt;
      if (!status) return place_changed(step.place);
      journaled.temporary.clear();
      journaled.inode = status->st_ino;
      return {};
    }
  }
  journaled.temporary = fmt::format("{}/{}", beside, journaled.temporary);
  return {};
}

Result<void> StepDisk::stage(const FileStep& step, const JournaledStep& journaled, const JournaledOperation& operation,
                             FileState& state) {
  if (step.kind == Kind::rename) return {};
  HF_TRY(const Spot temporary, spot(journaled.temporary));
  if (step.kind == Kind::trash) {
    HF_TRY(const Spot target, spot(journaled.key));
    HF_TRY(const Spot copy, trash_spot(temporary.name));
    HF_TRY(const Fd file, write_trash_copy(target, copy, step, journaled, operation.time));
    return syncs_.add(file);
  }
  HF_TRY(const Fd file, create_temporary(temporary, step.kind == Kind::create ? 0666 : 0600));
  if (step.kind == Kind::replace) {
    HF_TRY(const Spot target, spot(journaled.key));
    HF_CHECK(keep_attributes(target, file, step.place));
  } else if (step.mode != 0 && ::fchmod(file.get(), step.mode & kModeBits) != 0) {
    return fail(system_error("mode of " + step.place.path, errno));
  }
  HF_CHECK(write_all(file.get(), step.bytes));
  HF_CHECK(syncs_.add(file));
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) return fail(system_error(step.place.path, errno));
  stamp(state, status);
  state.version = journaled.after;
  return {};
}

Result<void> StepDisk::sync_staged() {
  return syncs_.sync();
}

}  // namespace holdfast::documents
