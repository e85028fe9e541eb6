#include "kinds/transcripts/staging/operation_folder.h"

#include "base/files/file.h"
#include "base/files/in_folder.h"
#include "base/ids.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>

namespace holdfast::transcripts {
namespace {

// ".holdfast" goes with the last operation in it; somebody who ends just when we begin takes it from under us.
constexpr int kMaxCreateTries = 64;

constexpr std::string_view kTheFolder = "the operation's folder";

std::string operations_path(const Home& home) {
  return home.folder() + "/" + std::string(kOperationsFolder);
}

Result<Fd> open_operations(const Home& home) {
  Fd folder(::open(operations_path(home).c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder) return fail(system_error(operations_path(home), errno));
  return folder;
}

enum class Lock { got, held, unsupported };

Lock lock(int fd, int how) {
  int result = 0;
  do {
    result = ::flock(fd, how);
  } while (result != 0 && errno == EINTR);
  if (result == 0) return Lock::got;
  return errno == EWOULDBLOCK ? Lock::held : Lock::unsupported;
}

Result<FileSystemKey> key_of(int folder) {
  struct statx status{};
  if (::statx(folder, "", AT_EMPTY_PATH, STATX_TYPE | STATX_MNT_ID, &status) != 0) return fail(system_error("stat", errno));
  FileSystemKey key;
  key.mount = (status.stx_mask & STATX_MNT_ID) != 0 ? status.stx_mnt_id : 0;  // kernels before 5.8 do not say
  struct stat plain{};
  if (::fstat(folder, &plain) != 0) return fail(system_error("stat", errno));
  key.device = plain.st_dev;
  return key;
}

Result<Fd> open_home_folder(const Home& home, std::string_view path) {
  return path.empty() ? open_folder(home.folder()) : home.open_folder(path);
}

Result<std::vector<std::string>> names_in(int folder) {
  HF_TRY(auto entries, entries_in(Fd(::openat(folder, ".", kFolderFlags))));
  std::vector<std::string> names;
  for (FolderEntry& entry : entries) names.push_back(std::move(entry.name));
  return names;
}

Result<void> remove_name(int folder, const std::string& name) {
  const int flags = name.starts_with("folder-") ? AT_REMOVEDIR : 0;
  if (::unlinkat(folder, name.c_str(), flags) != 0 && errno != ENOENT) return fail(system_error("remove " + name, errno));
  return {};
}

Result<void> empty_part(int folder) {
  HF_TRY(const auto names, names_in(folder));
  for (const std::string& name : names)
    if (name != kJournalName) HF_CHECK(remove_name(folder, name));
  return {};
}

}  // namespace

std::string_view parent_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? std::string_view() : path.substr(0, slash);
}

std::string last_name_of(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

std::vector<std::string_view> folders_above(std::string_view path) {
  std::vector<std::string_view> folders{""};
  for (std::size_t slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1)) {
    folders.push_back(path.substr(0, slash));
  }
  return folders;
}

Result<Fd> open_parent(const Home& home, std::string_view path) {
  return open_home_folder(home, parent_of(path));
}

void remove_operations_folder(const Home& home) {
  ::rmdir(operations_path(home).c_str());
}

Result<std::optional<OperationsLock>> OperationsLock::acquire(const Home& home) {
  auto folder = open_operations(home);
  if (!folder && folder.error().kind == ErrorKind::not_found) return std::nullopt;
  if (!folder) return fail(std::move(folder).error());
  static_cast<void>(lock(folder->get(), LOCK_EX));  // without locks the owners named in the journals decide
  return OperationsLock(*std::move(folder));
}

Result<std::vector<std::string>> OperationsLock::operations() const {
  HF_TRY(auto names, names_in(folder_.get()));
  std::sort(names.begin(), names.end());
  return names;
}

Result<OperationFolder> OperationFolder::create(const Home& home, std::string_view what) {
  const std::string name = fmt::format("{}-{}", what, make_uuid7());
  for (int tries = 1;; ++tries) {
    auto created = try_create(home, name);
    if (created) return created;
    if (created.error().kind == ErrorKind::not_found && tries < kMaxCreateTries) continue;
    remove_operations_folder(home);
    return created;
  }
}

Result<OperationFolder> OperationFolder::try_create(const Home& home, const std::string& name) {
  HF_CHECK(make_private_folder(operations_path(home)));
  HF_TRY(const auto beginning, OperationsLock::acquire(home));
  if (!beginning) return fail(ErrorKind::not_found, operations_path(home));
  OperationFolder made(home, name);
  HF_TRY(made.operations_, open_operations(home));
  if (::mkdirat(beginning->folder(), name.c_str(), 0700) != 0) return fail(system_error(operations_path(home), errno));
  const auto open_rest = [&]() -> Result<void> {
    Part part;
    part.folder = Fd(::openat(beginning->folder(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!part.folder) return fail(system_error(name, errno));
    HF_TRY(part.key, key_of(part.folder.get()));
    made.journal_ = Fd(::openat(part.folder.get(), std::string(kJournalName).c_str(),
                                O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!made.journal_) return fail(system_error("journal", errno));
    static_cast<void>(lock(made.journal_.get(), LOCK_EX | LOCK_NB));  // nobody else can have opened it yet
    made.parts_.push_back(std::move(part));
    return {};
  };
  if (auto opened = open_rest(); !opened) {
    ::unlinkat(beginning->folder(), (name + "/" + std::string(kJournalName)).c_str(), 0);
    ::unlinkat(beginning->folder(), name.c_str(), AT_REMOVEDIR);
    // As it is not not_found, it is not tried again.
    return fail(ErrorKind::io, std::move(opened).error().within(operations_path(home)).message);
  }
  return made;
}

Result<std::optional<OperationFolder>> OperationFolder::adopt(const Home& home, const std::string& operation) {
  OperationFolder found(home, operation);
  HF_TRY(found.operations_, open_operations(home));
  Part part;
  part.folder = Fd(::openat(found.operations_.get(), operation.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!part.folder) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    return fail(system_error(operation, errno));
  }
  HF_TRY(part.key, key_of(part.folder.get()));
  found.journal_ = Fd(::openat(part.folder.get(), std::string(kJournalName).c_str(), O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC));
  if (!found.journal_ && errno != ENOENT) return fail(system_error(operation + "/journal", errno));
  found.parts_.push_back(std::move(part));

  if (found.journal_) {
    const Lock locked = lock(found.journal_.get(), LOCK_EX | LOCK_NB);
    if (locked == Lock::held) return std::nullopt;
    HF_TRY(const std::string text, read_all(found.journal_.get(), kMaxJournalBytes));
    HF_TRY(found.left_behind_, parse_journal(text));
    if (locked == Lock::unsupported && may_be_alive(found.left_behind_.owner)) return std::nullopt;
  }
  HF_TRY(const auto names, names_in(found.parts_[0].folder.get()));
  const bool holds_old = std::any_of(names.begin(), names.end(), [](const auto& name) { return name.starts_with("old-"); });
  if (found.left_behind_.old_files.empty() && holds_old) {
    return fail(ErrorKind::corrupt, "the journal is gone, and files that were taken away are there",
                "look into " + operations_path(home) + "/" + operation);
  }
  for (const std::string& path : found.left_behind_.parts) {
    HF_TRY(Part other, found.open_part(path));
    found.parts_.push_back(std::move(other));
  }
  return found;
}

Result<OperationFolder::Part> OperationFolder::open_part(std::string path) const {
  Part part;
  auto folder = home_.open_folder(path);
  part.path = std::move(path);
  if (!folder && folder.error().kind == ErrorKind::not_found) return part;
  if (!folder) return fail(std::move(folder).error());
  part.folder = *std::move(folder);
  HF_TRY(part.key, key_of(part.folder.get()));
  return part;
}

Result<void> OperationFolder::append(const std::string& journal_lines) {
  return write_all(journal_.get(), journal_lines);
}

Result<void> OperationFolder::sync_journal() {
  HF_CHECK(sync_open_folder(journal_.get(), "the journal"));
  if (named_) return {};
  HF_CHECK(sync_open_folder(parts_[0].folder.get(), kTheFolder));
  HF_CHECK(sync_open_folder(operations_.get(), kTheFolder));
  named_ = true;
  return {};
}

Result<void> OperationFolder::sync_parts() {
  for (const Part& part : parts_) {
    if (part.folder) HF_CHECK(sync_open_folder(part.folder.get(), kTheFolder));
  }
  return {};
}

Result<std::size_t> OperationFolder::part_for(const std::string& path) {
  const std::string_view parent = parent_of(path);
  if (const auto known = part_of_folder_.find(parent); known != part_of_folder_.end()) return known->second;

  // The folders above the path that exist, from the home down; links and strangers' tricks end in an error here.
  std::vector<std::pair<std::string, FileSystemKey>> above;
  for (const std::string_view folder : folders_above(path)) {
    auto opened = open_home_folder(home_, folder);
    if (!opened && opened.error().kind == ErrorKind::not_found) break;
    if (!opened) return fail(std::move(opened).error());
    HF_TRY(const FileSystemKey key, key_of(opened->get()));
    above.emplace_back(folder, key);
  }
  if (above.empty()) return fail(ErrorKind::not_found, home_.folder());
  const FileSystemKey key = above.back().second;
  std::size_t part = 0;
  while (part < parts_.size() && parts_[part].key != key) ++part;
  if (part == parts_.size()) {
    const auto same = [&](const auto& each) { return each.second == key; };
    HF_CHECK(add_part(std::find_if(above.begin(), above.end(), same)->first, key));
  }
  part_of_folder_.emplace(parent, part);
  return part;
}

Result<void> OperationFolder::add_part(const std::string& parent, const FileSystemKey& key) {
  const std::string name = fmt::format("{}-{}", kOperationsFolder, name_);
  Part part;
  part.path = parent.empty() ? name : parent + "/" + name;
  part.key = key;
  // The journal first: what it does not name, nobody would ever clean up.
  HF_CHECK(append(journal_part(part.path)));
  HF_CHECK(sync_journal());
  HF_TRY(const Fd folder, open_home_folder(home_, parent));
  if (::mkdirat(folder.get(), name.c_str(), 0700) != 0) return fail(system_error(part.path, errno));
  part.folder = Fd(::openat(folder.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  const int error_number = errno;
  const bool opened = static_cast<bool>(part.folder);
  const std::string path = part.path;
  parts_.push_back(std::move(part));
  if (!opened) return fail(system_error(path, error_number));
  return {};
}

Result<void> OperationFolder::erase() {
  for (std::size_t i = parts_.size(); i-- > 0;) {
    if (parts_[i].folder) HF_CHECK(empty_part(parts_[i].folder.get()));
    if (i == 0) continue;
    HF_TRY(const Fd parent, open_parent(home_, parts_[i].path));
    if (::unlinkat(parent.get(), last_name_of(parts_[i].path).c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT) {
      return fail(system_error(parts_[i].path, errno));
    }
  }
  if (::unlinkat(parts_[0].folder.get(), std::string(kJournalName).c_str(), 0) != 0 && errno != ENOENT) {
    return fail(system_error("remove journal", errno));
  }
  if (::unlinkat(operations_.get(), name_.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT) return fail(system_error(name_, errno));
  remove_operations_folder(home_);
  return {};
}

}  // namespace holdfast::transcripts
