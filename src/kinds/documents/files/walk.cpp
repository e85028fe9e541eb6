#include "kinds/documents/files/walk.h"

#include "base/files/at_or_below.h"
#include "base/files/path_below.h"
#include "kinds/documents/files/path_name.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>

namespace holdfast::documents {
namespace {

// What stands in front of a name below a folder: nothing, or the folder with its '/'.
std::string with_slash(const std::string& folder) {
  return folder.empty() ? "" : folder + '/';
}

Result<void> take_folder(Library& library, const Place& top, const WalkOptions& options, std::vector<WalkedFile>& out) {
  if (out.size() >= options.max_files) return {};
  const std::size_t above = with_slash(top.relative).size();
  const std::string root = top.relative.empty() ? top.key : top.key.substr(0, top.key.size() - above);
  const std::string& state = library.settings().state_folder;
  FolderWalkOptions walking;
  walking.below = top.relative;
  walking.takes = [](std::string_view name) { return !name.starts_with('.') && is_speakable(name); };
  if (is_at_or_below(state, root) && state.size() > root.size()) walking.left_out = state.substr(root.size() + 1);
  walking.cancelled = options.cancelled;
  walking.stamps = options.stamps;
  walking.max_files = options.max_files - out.size();
  HF_TRY(FoundFiles found, walk_folder(library.folder_of(top), walking));
  for (FoundFile& file : found.files) {
    WalkedFile& walked = out.emplace_back();
    walked.size = file.size;
    walked.inode = file.inode;
    walked.modified_ns = std::max(file.modified_ns, file.changed_ns);
    Place& place = walked.place;
    place.folder = top.folder;
    place.path = with_slash(top.path) + file.path.substr(above);
    place.key = root + '/' + file.path;
    place.reviewed = is_reviewed(library.settings(), file.path);
    place.relative = std::move(file.path);
    place.exists = true;
  }
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
      HF_CHECK(take_folder(library, top, options, files));
    }
    return files;
  }
  HF_TRY(const Place top, library.find(options.below));
  HF_CHECK(top.is_folder ? take_folder(library, top, options, files) : take_file(library, top, files));
  return files;
}

}  // namespace holdfast::documents
