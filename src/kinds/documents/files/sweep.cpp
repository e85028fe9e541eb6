#include "kinds/documents/files/sweep.h"

#include "base/crypto/hash.h"
#include "base/files/file.h"
#include "base/files/in_folder.h"
#include "base/files/lock_range.h"
#include "base/run/process.h"
#include "kinds/documents/files/journal.h"
#include "kinds/documents/files/path_name.h"
#include "kinds/documents/files/spot.h"

#include <fcntl.h>

#include <cerrno>
#include <filesystem>

namespace holdfast::documents {
namespace {

// Files of locks are a few bytes of a folder each.
constexpr std::size_t kManyLocks = 4096;
// A look through that many takes about a second, and somebody waits for the start.
constexpr std::size_t kMaxSwept = 500'000;
constexpr std::size_t kMaxBootIdBytes = 128;

// "o_…" of ".holdfast-o_…-3"; "" when it is none of ours.
std::string_view operation_id_of(std::string_view name) {
  if (!name.starts_with(kTemporaryPrefix)) return "";
  name.remove_prefix(kTemporaryPrefix.size());
  return name.starts_with("o_") ? name.substr(0, name.rfind('-')) : std::string_view();
}

void sweep_folder(Library& library, const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::size_t seen = 0;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && entry != fs::recursive_directory_iterator() && seen < kMaxSwept; entry.increment(error), ++seen) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with('.')) continue;
    std::error_code ignored;
    if (entry->is_directory(ignored)) entry.disable_recursion_pending();
    const std::string_view operation = operation_id_of(name);
    if (operation.empty() || is_unfinished(library, operation)) continue;
    const auto spot = open_spot(library, entry->path().string());
    if (spot) static_cast<void>(remove_at(*spot));
  }
}

}  // namespace

void sweep_temporaries(Library& library) {
  const std::string boot = boot_id();
  if (boot.empty()) return;
  for (std::size_t i = 0; i < library.settings().folders.size(); ++i) {
    const auto& folders = library.settings().folders;
    const auto top = library.find(library.settings().names_folders() ? folders[i].name : "");
    if (!top || folders[i].read_only) continue;
    const std::string marker = library.settings().state_folder + "/swept-" + to_hex(sha256(top->key)).substr(0, 16);
    if (read_file(marker, kMaxBootIdBytes).value_or("") == boot) continue;
    sweep_folder(library, top->key.empty() ? "/" : top->key);
    // Not synced: when it is lost, the next start looks once more.
    const Fd file(::open(marker.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (file) static_cast<void>(write_all(file.get(), boot));
  }
}

// Who takes a lock looks whether its file still has its name, so one that nobody holds can go.
void sweep_locks(Library& library) {
  const std::string folder = library.settings().state_folder + "/locks";
  const auto names = entries_in(folder);
  if (!names || names->size() < kManyLocks) return;
  for (const auto& [name, type] : *names) {
    const std::string path = folder + '/' + name;
    const Fd file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
    if (file && try_lock_range(file, 0, Sharing::exclusive).value_or(false) && still_named(file, path)) ::unlink(path.c_str());
  }
}

}  // namespace holdfast::documents
