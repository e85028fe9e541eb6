#include "kinds/documents/files/walk.h"

#include "base/files/at_or_below.h"
#include "base/files/path_below.h"
#include "base/run/run_guarded.h"
#include "kinds/documents/files/folder_listing.h"
#include "kinds/documents/files/path_name.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace holdfast::documents {
namespace {

// With fewer folders waiting a thread costs more than it saves.
constexpr std::size_t kFoldersPerThread = 16;
constexpr unsigned kMaxWalkers = 4;                    // beyond, the kernel's own locks decide
constexpr std::chrono::milliseconds kCancelPause{20};  // how often a caller who only waits is asked

struct Node {
  FolderListing listing;
  std::vector<std::unique_ptr<Node>> folders;  // in the order of the listing's folders
};

struct FolderTask {
  Node* node = nullptr;
  std::string relative;
  IgnoreLevels outer;
  std::size_t depth = 0;
};

// Below one folder: several threads take folders from one stack, and what they find is put in order at the end.
class TreeWalk {
 public:
  TreeWalk(const Fd& library_folder, std::string state, const WalkOptions& options)
      : folder_(library_folder), state_(std::move(state)), options_(options) {}

  Result<Node> run(const std::string& relative, IgnoreLevels outer) {
    Node root;
    {
      HF_TRY(root.listing, list_folder(folder_, relative, outer, options_.stamps));
      std::lock_guard lock(mutex_);
      push_folders(root, relative, 1);
    }
    std::vector<std::jthread> helpers;
    work(&helpers);
    helpers.clear();  // joins
    if (was_cancelled_) return fail(ErrorKind::cancelled, "stopped while listing the library");
    return root;
  }

 private:
  bool is_cancelled() { return was_cancelled_ = was_cancelled_ || (options_.cancelled && options_.cancelled()); }

  // helpers: of the caller's own thread, which starts the others and is the one that may ask `cancelled`.
  void work(std::vector<std::jthread>* helpers) {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (helpers && is_cancelled()) stop_ = true;
      if (stop_ || (tasks_.empty() && busy_ == 0)) break;
      if (tasks_.empty()) {
        changed_.wait_for(lock, kCancelPause);
        continue;
      }
      if (helpers) start_helpers(*helpers);
      FolderTask task = std::move(tasks_.back());
      tasks_.pop_back();
      ++busy_;
      lock.unlock();
      auto listing = list_folder(folder_, task.relative, task.outer, options_.stamps);
      lock.lock();
      --busy_;
      if (listing) {
        task.node->listing = *std::move(listing);
        push_folders(*task.node, task.relative, task.depth + 1);
      }
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
          run_guarded(help, "documents");
        });
      } catch (const std::system_error&) {
        return;  // no thread to be had: we are still there
      }
    }
  }

  void push_folders(Node& node, const std::string& relative, std::size_t depth) {
    std::erase_if(node.listing.entries, [&](const ListedEntry& entry) {
      return entry.is_folder && (depth >= kMaxWalkDepth || join(relative, entry.name) == state_);
    });
    for (const ListedEntry& entry : node.listing.entries) {
      if (!entry.is_folder) {
        stop_ = stop_ || ++files_ >= options_.max_files;
        continue;
      }
      node.folders.push_back(std::make_unique<Node>());
      tasks_.push_back({node.folders.back().get(), join(relative, entry.name), node.listing.levels, depth});
    }
  }

  static std::string join(const std::string& folder, const std::string& name) {
    return folder.empty() ? name : folder + '/' + name;
  }

  const Fd& folder_;
  const std::string state_;  // relative; "" when it is elsewhere
  const WalkOptions& options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<FolderTask> tasks_;
  std::size_t busy_ = 0, files_ = 0;
  bool stop_ = false, was_cancelled_ = false;
};

class Collector {
 public:
  Collector(const LibrarySettings& settings, const Place& top, std::size_t max_files, std::vector<WalkedFile>& out)
      : settings_(settings), top_(top), max_files_(max_files), out_(out) {}

  // below: what stands between the walked folder and the node, with a trailing '/'.
  void take(const Node& node, const std::string& below) {
    auto folder = node.folders.begin();
    for (const ListedEntry& entry : node.listing.entries) {
      if (entry.is_folder) {
        if (folder != node.folders.end()) take(**folder++, below + entry.name + '/');
      } else if (out_.size() < max_files_) {
        out_.push_back({place(below + entry.name), entry.size, entry.inode, entry.modified_ns});
      }
    }
  }

 private:
  Place place(const std::string& below) const {
    Place made;
    made.folder = top_.folder;
    made.path = top_.path.empty() ? below : top_.path + '/' + below;
    made.relative = top_.relative.empty() ? below : top_.relative + '/' + below;
    made.key = top_.key + '/' + below;
    made.exists = true;
    made.reviewed = is_reviewed(settings_, below);
    return made;
  }

  const LibrarySettings& settings_;
  const Place& top_;
  const std::size_t max_files_;
  std::vector<WalkedFile>& out_;
};

// The rules that count in a folder; nothing when it is ignored itself, or one above it.
std::optional<IgnoreLevels> levels_above(const Fd& library_folder, std::string_view relative) {
  IgnoreLevels levels;
  for (std::size_t end = 0; !relative.empty() && end != relative.npos;) {
    levels = with_rules_of(library_folder, relative.substr(0, end), std::move(levels));
    end = relative.find('/', end + 1);
    if (is_ignored(levels, relative.substr(0, end), true)) return std::nullopt;
  }
  return levels;
}

Result<void> walk_folder(Library& library, const Place& top, const WalkOptions& options, std::vector<WalkedFile>& out) {
  const Fd& folder = library.folder_of(top);
  const auto outer = levels_above(folder, top.relative);
  if (!outer) return {};
  const std::string root = top.key.substr(0, top.key.size() - (top.relative.empty() ? 0 : top.relative.size() + 1));
  const std::string& state = library.settings().state_folder;
  const std::string state_below = is_at_or_below(state, root) && state.size() > root.size() ? state.substr(root.size() + 1) : "";
  HF_TRY(const Node node, TreeWalk(folder, state_below, options).run(top.relative, *outer));
  Collector(library.settings(), top, options.max_files, out).take(node, "");
  return {};
}

Result<void> take_file(Library& library, const Place& place, std::vector<WalkedFile>& out) {
  HF_TRY(const Fd file, open_below(library.folder_of(place), place.relative, O_PATH | O_NOFOLLOW, 0, Links::refuse));
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) return fail(system_error(place.path, errno));
  if (!S_ISREG(status.st_mode)) return {};
  out.push_back({place, static_cast<std::uint64_t>(status.st_size), status.st_ino,
                 status.st_mtim.tv_sec * 1'000'000'000LL + status.st_mtim.tv_nsec});
  return {};
}

}  // namespace

Result<std::vector<WalkedFile>> walk(Library& library, const WalkOptions& options) {
  std::vector<WalkedFile> files;
  const auto& folders = library.settings().folders;
  if (options.below.empty() && library.settings().names_folders()) {
    std::vector<std::string> names;
    for (const LibraryFolder& folder : folders) names.push_back(folder.name);
    std::ranges::sort(names, {}, [](const std::string& name) { return name + '/'; });
    for (const std::string& name : names) {
      HF_TRY(const Place top, library.find(name));
      HF_CHECK(walk_folder(library, top, options, files));
    }
    return files;
  }
  HF_TRY(const Place top, library.find(options.below));
  HF_CHECK(top.is_folder ? walk_folder(library, top, options, files) : take_file(library, top, files));
  return files;
}

}  // namespace holdfast::documents
