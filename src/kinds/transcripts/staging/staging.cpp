#include "kinds/transcripts/staging/staging.h"

#include "base/files/sync_set.h"
#include "kinds/transcripts/staging/steps.h"

#include <fmt/format.h>

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <map>

namespace holdfast::transcripts {
namespace {

constexpr std::size_t kSyncEach = 8;

// Writing back begins when a file of this size is done, so that syncing at the end finds most of it on disk.
constexpr off_t kLargeFile = 1 << 20;

constexpr mode_t kModeBits = 07777;

}  // namespace

struct Staging::State {
  State(const Home& home_of, OperationFolder folder_of) : home(home_of), folder(std::move(folder_of)) {}

  Result<void> plan_folders();
  Result<void> stage_folder(const std::string& path, mode_t mode);
  void order();
  Result<void> enter(Phase phase);
  Result<void> run(Steps& steps);

  Home home;
  OperationFolder folder;
  JournalContent plan;
  std::map<std::string, mode_t> wanted_folders;  // parents sort before children
  std::map<std::string, std::size_t> file_at;    // final path -> index in plan.new_files
  SyncSet staged{kSyncEach};                     // the new files
  Fd current;
  mode_t current_mode = 0600;
  std::string new_main, old_main;
  std::optional<Error> cannot_remove;
  bool over = false;  // committed, undone, or beyond what this process can do
  std::vector<std::string> created, removed;
};

Result<Staging> Staging::begin(const Home& home, std::string_view what, std::string_view about) {
  // What cannot be recovered stays for a person to look at (doctor names it); it stands in nobody's way, for nothing is
  // replaced.
  static_cast<void>(recover(home));
  HF_TRY(OperationFolder folder, OperationFolder::create(home, what));
  auto state = std::make_unique<State>(home, std::move(folder));
  Staging staging(std::move(state));
  HF_CHECK(staging.state_->folder.append(journal_opening(what, about, SystemClock().now())));
  return staging;
}

Staging::Staging(std::unique_ptr<State> state) : state_(std::move(state)) {}
Staging::Staging(Staging&&) noexcept = default;

Staging::~Staging() {
  if (state_ && !state_->over) static_cast<void>(state_->folder.erase());
}

Result<int> Staging::create(const std::string& final_path, mode_t mode) {
  if (state_->current) return fail(ErrorKind::internal, "a staged file is still open");
  if (state_->file_at.contains(final_path)) {
    return fail(ErrorKind::conflict, fmt::format("{} is named twice", final_path));
  }
  HF_TRY(const std::size_t part, state_->folder.part_for(final_path));
  const std::size_t number = state_->plan.new_files.size();
  const std::string name = staged_name("new", number);
  Fd file(::openat(state_->folder.part(part), name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return fail(system_error("stage " + final_path, errno));
  state_->current = std::move(file);
  state_->current_mode = mode & kModeBits;
  state_->plan.new_files.push_back({final_path, {part, number}, {}});
  state_->file_at.emplace(final_path, number);
  return state_->current.get();
}

Result<void> Staging::done() {
  if (!state_->current) return fail(ErrorKind::internal, "no staged file is open");
  const Fd file = std::move(state_->current);
  JournaledFile& entry = state_->plan.new_files.back();
  struct stat status{};
  if (::fchmod(file.get(), state_->current_mode) != 0) return fail(system_error("mode of " + entry.path, errno));
  if (::fstat(file.get(), &status) != 0) return fail(system_error(entry.path, errno));
  entry.mark = mark_of(status);
  if (status.st_size >= kLargeFile) ::sync_file_range(file.get(), 0, 0, SYNC_FILE_RANGE_WRITE);  // a help, never a need
  return state_->staged.add(file);
}

Result<void> Staging::make_folder(const std::string& final_path, mode_t mode) {
  state_->wanted_folders[final_path] = mode & kModeBits;
  return {};
}

Result<Fd> Staging::staged(const std::string& final_path) const {
  const auto found = state_->file_at.find(final_path);
  if (found == state_->file_at.end()) return fail(ErrorKind::not_found, final_path + " is not staged");
  const StagedAt& at = state_->plan.new_files[found->second].at;
  Fd file(::openat(state_->folder.part(at.part), staged_name("new", at.number).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file) return fail(system_error(final_path, errno));
  return file;
}

void Staging::remove(const std::string& path) {
  const auto add = [&]() -> Result<void> {
    HF_TRY(const auto status, state_->home.stat(path));
    if (!status) return fail(ErrorKind::conflict, state_->home.absolute(path) + " has gone");
    HF_TRY(const std::size_t part, state_->folder.part_for(path));
    state_->plan.old_files.push_back({path, {part, state_->plan.old_files.size()}, mark_of(*status)});
    return {};
  };
  auto added = add();
  if (!added && !state_->cannot_remove) state_->cannot_remove = std::move(added).error();
}

void Staging::remove_folder(const std::string& path) {
  state_->plan.old_folders.push_back(path);
}

void Staging::set_main(const std::string& new_main, const std::string& old_main) {
  state_->new_main = new_main;
  state_->old_main = old_main;
}

Result<void> Staging::State::stage_folder(const std::string& path, mode_t mode) {
  HF_TRY(const std::size_t part, folder.part_for(path));
  const std::size_t number = plan.new_folders.size();
  const std::string name = staged_name("folder", number);
  if (::mkdirat(folder.part(part), name.c_str(), 0700) != 0) return fail(system_error("stage " + path, errno));
  // What its owner may not write to gets that mode when everything is in it.
  if (::fchmodat(folder.part(part), name.c_str(), mode | kOwnerAll, 0) != 0) return fail(system_error("mode of " + path, errno));
  struct stat status{};
  if (::fstatat(folder.part(part), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return fail(system_error(path, errno));
  plan.new_folders.push_back({path, {part, number}, mode, status.st_ino});
  return {};
}

Result<void> Staging::State::plan_folders() {
  std::map<std::string, mode_t> wanted = wanted_folders;
  const auto want_above = [&wanted](const std::string& path) {
    for (const std::string_view above : folders_above(path)) {
      if (!above.empty()) wanted.try_emplace(std::string(above), 0700);
    }
  };
  for (const auto& [path, mode] : wanted_folders) want_above(path);
  for (const JournaledFile& file : plan.new_files) want_above(file.path);
  for (const auto& [path, mode] : wanted) {
    const auto there = home.open_folder(path);
    if (there) continue;
    if (there.error().kind != ErrorKind::not_found) return fail(there.error());
    HF_CHECK(stage_folder(path, mode));
  }
  return {};
}

void Staging::State::order() {
  // Neighbours in a folder follow each other: it is opened once. The main transcripts are the exception that matters.
  const auto last = [](const std::string& main) {
    return [&main](const auto& a, const auto& b) {
      return std::pair(a.path == main, std::string_view(a.path)) < std::pair(b.path == main, std::string_view(b.path));
    };
  };
  const auto first = [this](const OldFile& a, const OldFile& b) {
    return std::pair(a.path != old_main, std::string_view(a.path)) < std::pair(b.path != old_main, std::string_view(b.path));
  };
  std::sort(plan.new_files.begin(), plan.new_files.end(), last(new_main));
  std::sort(plan.old_files.begin(), plan.old_files.end(), first);
  std::sort(plan.old_folders.begin(), plan.old_folders.end(), std::greater<>());
}

Result<void> Staging::State::enter(Phase phase) {
  HF_CHECK(folder.append(journal_phase(phase)));
  plan.phase = phase;
  return folder.sync_journal();
}

Result<void> Staging::State::run(Steps& steps) {
  HF_CHECK(enter(Phase::placing));
  HF_CHECK(steps.place());
  if (plan.old_files.empty()) return {};
  HF_CHECK(enter(Phase::taking));
  HF_CHECK(steps.take());
  return enter(Phase::taken);
}

Result<void> Staging::commit() {
  State& state = *state_;
  if (state.over) return fail(ErrorKind::internal, "the operation is over");
  if (state.current) return fail(ErrorKind::internal, "a staged file is still open");
  if (state.cannot_remove) return fail(*state.cannot_remove);
  HF_CHECK(state.plan_folders());
  state.order();
  HF_CHECK(state.staged.sync());
  HF_CHECK(state.folder.sync_parts());
  HF_CHECK(state.folder.append(journal_plan(state.plan)));

  state.over = true;
  Steps steps(state.home, state.folder, state.plan);
  if (auto done = state.run(steps); !done) {
    // The record of the last phase may have reached the disk although the call failed; this one follows it.
    static_cast<void>(state.enter(Phase::undoing));
    if (auto undone = steps.undo(); !undone) {
      return fail(std::move(done).error().kind,
                  fmt::format("{}; and undoing it failed: {}", done.error().message, undone.error().message),
                  "the next operation on this home tries again; nothing is lost");
    }
    static_cast<void>(state.folder.erase());
    return done;
  }
  // From here on it has happened: what cannot be cleaned up now is cleaned up by the next operation.
  for (const JournaledFile& file : state.plan.new_files) state.created.push_back(file.path);
  for (const OldFile& file : state.plan.old_files) state.removed.push_back(file.path);
  const auto finished = steps.finish();
  std::ranges::copy(steps.removed_folders(), std::back_inserter(state.removed));
  if (finished) static_cast<void>(state.folder.erase());
  return {};
}

const std::vector<std::string>& Staging::created() const {
  return state_->created;
}

const std::vector<std::string>& Staging::removed() const {
  return state_->removed;
}

}  // namespace holdfast::transcripts
