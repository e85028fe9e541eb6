#include "base/files/folder_walk.h"

#include "base/files/file.h"
#include "base/files/path_below.h"
#include "base/run/run_guarded.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>

namespace holdfast {
namespace {

constexpr std::size_t kMaxIgnoreFileBytes = 256 * 1024;  // of a person's rules
constexpr std::size_t kListBytes = 32 * 1024;            // a call of the kernel fills it with about a thousand names
// With fewer folders waiting a thread costs more than it saves.
constexpr std::size_t kFoldersPerThread = 16;
constexpr unsigned kMaxWalkers = 4;                        // beyond, the kernel's own locks decide
constexpr std::chrono::milliseconds kWalkCancelPause{20};  // how often a caller who only waits is asked

// Rules of a folder and, through `outer`, of all folders above it; the inner ones decide first.
struct IgnoreLevel {
  IgnoreRules rules;
  std::shared_ptr<const IgnoreLevel> outer;
};
using IgnoreLevels = std::shared_ptr<const IgnoreLevel>;

bool is_ignored(const IgnoreLevels& levels, std::string_view path, bool is_folder) {
  for (const IgnoreLevel* level = levels.get(); level != nullptr; level = level->outer.get())
    if (const auto verdict = level->rules.verdict(path, is_folder)) return *verdict;
  return false;
}

std::string path_in(std::string_view folder, std::string_view name) {
  std::string path(folder);
  if (!path.empty()) path += '/';
  return path += name;
}

// The levels with those of one file in front, when it has any.
IgnoreLevels with_file(const Fd& root, const std::string& path, std::string_view folder, IgnoreLevels outer) {
  const auto file = open_below(root, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0, Links::refuse);
  struct stat status{};
  if (!file || ::fstat(file->get(), &status) != 0 || !S_ISREG(status.st_mode)) return outer;
  const auto text = read_all(file->get(), kMaxIgnoreFileBytes);
  if (!text) return outer;
  auto level = std::make_shared<IgnoreLevel>();
  level->rules.add_text(*text, folder);
  if (level->rules.empty()) return outer;
  level->outer = std::move(outer);
  return level;
}

// Those of a folder's own .gitignore; of the root ("") also .git/info/exclude.
IgnoreLevels with_rules_of(const Fd& root, std::string_view folder, IgnoreLevels outer) {
  if (folder.empty()) outer = with_file(root, ".git/info/exclude", "", std::move(outer));
  return with_file(root, path_in(folder, ".gitignore"), folder, std::move(outer));
}

// The rules of the folders above a path; nothing when a walk does not come to it.
std::optional<IgnoreLevels> levels_above(const Fd& root, std::string_view path, bool is_folder, IgnoreLevels levels) {
  std::size_t depth = 0;
  for (std::size_t end = 0; !path.empty() && end != path.npos;) {
    levels = with_rules_of(root, path.substr(0, end), std::move(levels));
    end = path.find('/', end + 1);
    const bool is_above = end != path.npos;
    if ((is_above && ++depth >= kMaxWalkDepth) || is_ignored(levels, path.substr(0, end), is_above || is_folder))
      return std::nullopt;
  }
  return levels;
}

IgnoreLevels level_of(const std::vector<std::string>& rules) {
  auto level = std::make_shared<IgnoreLevel>();
  for (const std::string& rule : rules) level->rules.add_rule(rule, "");
  return rules.empty() ? nullptr : level;
}

struct ListedEntry {
  FoundFile file;  // its path is a name yet
  bool is_folder = false, is_known = true;
};

// readdir would allocate and stat for each folder; a walk has thousands of them.
Result<std::vector<ListedEntry>> read_entries(const Fd& folder, const FolderWalkOptions& options, bool& has_rules) {
  std::vector<ListedEntry> entries;
  alignas(dirent64) std::byte buffer[kListBytes];
  for (;;) {
    const ssize_t filled = ::getdents64(folder.get(), buffer, sizeof buffer);
    if (filled < 0) return fail(system_error("list a folder", errno));
    if (filled == 0) return entries;
    for (ssize_t at = 0; at < filled;) {
      const auto* entry = reinterpret_cast<const dirent64*>(buffer + at);
      at += entry->d_reclen;
      const std::string_view name = entry->d_name;
      if (name == ".gitignore") has_rules = true;
      const bool is_unknown = entry->d_type == DT_UNKNOWN;
      if (name == "." || name == ".." || (entry->d_type != DT_REG && entry->d_type != DT_DIR && !is_unknown)) continue;
      if (options.takes && !options.takes(name)) continue;
      ListedEntry& listed = entries.emplace_back();
      listed.file.path = name;
      listed.file.inode = entry->d_ino;
      listed.is_folder = entry->d_type == DT_DIR;
      listed.is_known = !is_unknown;
    }
  }
}

// So that paths come out in bytewise order: a folder sorts as if '/' ended its name.
bool sorts_before(const ListedEntry& a, const ListedEntry& b) {
  const std::string &one = a.file.path, &other = b.file.path;
  const std::size_t shared = std::min(one.size(), other.size());
  if (const int order = one.compare(0, shared, other, 0, shared); order != 0) return order < 0;
  const auto next = [shared](const ListedEntry& entry) {
    if (entry.file.path.size() > shared) return static_cast<int>(static_cast<unsigned char>(entry.file.path[shared]));
    return entry.is_folder ? static_cast<int>('/') : -1;
  };
  return next(a) < next(b);
}

// False for what is neither file nor folder, or gone meanwhile.
bool look_at(const Fd& folder, ListedEntry& entry, bool stamps) {
  if (entry.is_known && (entry.is_folder || !stamps)) return true;
  struct stat status{};
  if (::fstatat(folder.get(), entry.file.path.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return false;
  if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) return false;
  entry.is_folder = S_ISDIR(status.st_mode);
  entry.file.inode = status.st_ino;
  if (!stamps || entry.is_folder) return true;
  entry.file.size = static_cast<std::uint64_t>(status.st_size);
  const auto nanoseconds = [](const struct timespec& time) { return time.tv_sec * 1'000'000'000LL + time.tv_nsec; };
  entry.file.modified_ns = nanoseconds(status.st_mtim);
  entry.file.changed_ns = nanoseconds(status.st_ctim);
  return true;
}

struct WalkNode {
  std::vector<ListedEntry> entries;                // in the order of their paths
  std::vector<std::unique_ptr<WalkNode>> folders;  // those of the entries that are folders
};

struct FolderTask {
  WalkNode* node = nullptr;
  std::string path;
  IgnoreLevels outer;
  std::size_t depth = 1;
};

// Several threads take folders from one stack, and what they find is put in order at the end.
class FolderWalk {
 public:
  FolderWalk(const Fd& root, const FolderWalkOptions& options)
      : root_(root), options_(options), strong_(level_of(options.strong_rules)) {}

  Result<FoundFiles> run() {
    const auto outer = levels_above(root_, options_.below, true, level_of(options_.weak_rules));
    if (!outer) return FoundFiles{};
    WalkNode top;
    FolderTask task{&top, options_.below, *outer};
    HF_CHECK(list(task));
    {
      std::lock_guard lock(mutex_);
      push_folders(task);
    }
    std::vector<std::jthread> helpers;
    work(&helpers);
    helpers.clear();  // joins
    if (was_cancelled_) return fail(ErrorKind::cancelled, "stopped while listing files");
    FoundFiles found;
    found.complete = !stop_;
    found.unreadable = std::move(unreadable_);
    std::ranges::sort(found.unreadable);
    collect(top, options_.below, found.files);
    return found;
  }

 private:
  // Fills the entries of the task's node; its rules become those for what is in it.
  Result<void> list(FolderTask& task) {
    HF_TRY(const Fd folder,
           open_below(root_, task.path.empty() ? "." : task.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0, Links::refuse));
    bool has_rules = task.path.empty();
    HF_TRY(std::vector<ListedEntry> found, read_entries(folder, options_, has_rules));
    if (has_rules) task.outer = with_rules_of(root_, task.path, std::move(task.outer));
    for (ListedEntry& entry : found) {
      // Before the stat: most of a work tree's files may be ignored ones.
      if (entry.is_known && is_left_out(task, entry)) continue;
      if (look_at(folder, entry, options_.stamps) && (entry.is_known || !is_left_out(task, entry)))
        task.node->entries.push_back(std::move(entry));
    }
    std::ranges::sort(task.node->entries, sorts_before);
    return {};
  }

  bool is_left_out(const FolderTask& task, const ListedEntry& entry) const {
    if (!strong_ && !task.outer && (!entry.is_folder || options_.left_out.empty())) return false;
    const std::string path = path_in(task.path, entry.file.path);
    if (entry.is_folder && path == options_.left_out) return true;
    if (strong_)
      if (const auto verdict = strong_->rules.verdict(path, entry.is_folder)) return *verdict;
    return is_ignored(task.outer, path, entry.is_folder);
  }

  // helpers: of the caller's own thread, which starts the others and is the one that may ask `cancelled`.
  void work(std::vector<std::jthread>* helpers) {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (helpers && options_.cancelled && options_.cancelled()) stop_ = was_cancelled_ = true;
      if (stop_ || (tasks_.empty() && busy_ == 0)) break;
      if (tasks_.empty()) {
        changed_.wait_for(lock, kWalkCancelPause);
        continue;
      }
      if (helpers) start_helpers(*helpers);
      FolderTask task = std::move(tasks_.back());
      tasks_.pop_back();
      ++busy_;
      lock.unlock();
      const auto listed = list(task);
      lock.lock();
      --busy_;
      if (listed)
        push_folders(task);
      else if (listed.error().kind != ErrorKind::not_found)
        unreadable_.push_back(std::move(task.path));
      changed_.notify_all();
    }
    changed_.notify_all();
  }

  void start_helpers(std::vector<std::jthread>& helpers) {
    const unsigned wanted = std::min(std::thread::hardware_concurrency(), kMaxWalkers);
    while (helpers.size() + 1 < wanted && tasks_.size() > kFoldersPerThread * (helpers.size() + 1)) {
      try {
        helpers.emplace_back([this] {
          auto help = [this] { work(nullptr); };
          run_guarded(help, "files");
        });
      } catch (const std::system_error&) {
        return;  // no thread to be had: we are still there
      }
    }
  }

  void push_folders(const FolderTask& task) {
    WalkNode& node = *task.node;
    if (task.depth >= kMaxWalkDepth) std::erase_if(node.entries, &ListedEntry::is_folder);
    for (const ListedEntry& entry : node.entries) {
      if (!entry.is_folder) {
        stop_ = stop_ || ++files_ >= options_.max_files;
        continue;
      }
      node.folders.push_back(std::make_unique<WalkNode>());
      tasks_.push_back({node.folders.back().get(), path_in(task.path, entry.file.path), task.outer, task.depth + 1});
    }
  }

  void collect(WalkNode& node, const std::string& path, std::vector<FoundFile>& files) const {
    auto folder = node.folders.begin();
    for (ListedEntry& entry : node.entries) {
      entry.file.path = path_in(path, entry.file.path);
      if (entry.is_folder)
        collect(**folder++, entry.file.path, files);
      else if (files.size() < options_.max_files)
        files.push_back(std::move(entry.file));
    }
  }

  const Fd& root_;
  const FolderWalkOptions& options_;
  const IgnoreLevels strong_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<FolderTask> tasks_;
  std::vector<std::string> unreadable_;
  std::size_t busy_ = 0, files_ = 0;
  bool stop_ = false, was_cancelled_ = false;
};

}  // namespace

Result<FoundFiles> walk_folder(const Fd& root, const FolderWalkOptions& options) {
  return FolderWalk(root, options).run();
}

bool is_left_out(const Fd& root, std::string_view path, bool is_folder) {
  return !path.empty() && !levels_above(root, path, is_folder, nullptr);
}

}  // namespace holdfast
