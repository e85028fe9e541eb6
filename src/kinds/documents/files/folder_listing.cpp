#include "kinds/documents/files/folder_listing.h"

#include "base/files/file.h"
#include "base/files/path_below.h"
#include "kinds/documents/files/path_name.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <optional>

namespace holdfast::documents {
namespace {

constexpr std::size_t kMaxIgnoreFileBytes = 256 * 1024;  // of a person's rules
constexpr std::size_t kListBytes = 32 * 1024;            // a call of the kernel fills it with about a thousand names

std::string below(std::string_view folder, std::string_view name) {
  std::string path(folder);
  if (!path.empty()) path += '/';
  return path += name;
}

std::optional<std::string> read_rules(const Fd& library_folder, const std::string& path) {
  const auto file = open_below(library_folder, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0, Links::refuse);
  struct stat status{};
  if (!file || ::fstat(file->get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  auto text = read_all(file->get(), kMaxIgnoreFileBytes);
  return text ? std::optional(*std::move(text)) : std::nullopt;
}

IgnoreLevels add_level(const std::optional<std::string>& text, std::string_view folder, IgnoreLevels outer) {
  if (!text) return outer;
  auto level = std::make_shared<IgnoreLevel>();
  level->rules.add_text(*text, folder);
  if (level->rules.empty()) return outer;
  level->outer = std::move(outer);
  return level;
}

struct RawEntry {
  std::string name;
  unsigned char type = DT_UNKNOWN;
  std::uint64_t inode = 0;
};

// readdir would allocate and stat for each folder; a walk has thousands of them.
Result<std::vector<RawEntry>> read_entries(const Fd& folder, bool& has_rules) {
  std::vector<RawEntry> entries;
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
      const bool may_be_shown = entry->d_type == DT_REG || entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN;
      if (may_be_shown && !name.starts_with('.') && is_speakable(name))
        entries.push_back({std::string(name), entry->d_type, entry->d_ino});
    }
  }
}

bool sorts_before(const ListedEntry& a, const ListedEntry& b) {
  const std::size_t shared = std::min(a.name.size(), b.name.size());
  if (const int order = a.name.compare(0, shared, b.name, 0, shared); order != 0) return order < 0;
  const auto next = [shared](const ListedEntry& entry) {
    if (entry.name.size() > shared) return static_cast<int>(static_cast<unsigned char>(entry.name[shared]));
    return entry.is_folder ? static_cast<int>('/') : -1;
  };
  return next(a) < next(b);
}

// Nothing for what is neither file nor folder, or gone meanwhile.
std::optional<ListedEntry> listed_entry(const Fd& folder, RawEntry& raw, bool stamps) {
  ListedEntry entry;
  entry.is_folder = raw.type == DT_DIR;
  entry.inode = raw.inode;
  if (raw.type == DT_UNKNOWN || (stamps && !entry.is_folder)) {
    struct stat status{};
    if (::fstatat(folder.get(), raw.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
    if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) return std::nullopt;
    entry.is_folder = S_ISDIR(status.st_mode);
    entry.inode = status.st_ino;
    if (stamps && !entry.is_folder) {
      entry.size = static_cast<std::uint64_t>(status.st_size);
      const auto nanoseconds = [](const struct timespec& time) { return time.tv_sec * 1'000'000'000LL + time.tv_nsec; };
      // Whoever puts the old time of modification back (cp -p, rsync -t) cannot put this one back.
      entry.modified_ns = std::max(nanoseconds(status.st_mtim), nanoseconds(status.st_ctim));
    }
  }
  entry.name = std::move(raw.name);
  return entry;
}

}  // namespace

bool is_ignored(const IgnoreLevels& levels, std::string_view path, bool is_folder) {
  for (const IgnoreLevel* level = levels.get(); level != nullptr; level = level->outer.get())
    if (const auto verdict = level->rules.verdict(path, is_folder)) return *verdict;
  return false;
}

IgnoreLevels with_rules_of(const Fd& library_folder, std::string_view relative, IgnoreLevels outer) {
  if (relative.empty()) outer = add_level(read_rules(library_folder, ".git/info/exclude"), "", std::move(outer));
  return add_level(read_rules(library_folder, below(relative, ".gitignore")), relative, std::move(outer));
}

Result<FolderListing> list_folder(const Fd& library_folder, std::string_view relative, const IgnoreLevels& outer, bool stamps) {
  HF_TRY(const Fd folder,
         open_below(library_folder, relative.empty() ? "." : relative, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0, Links::refuse));
  bool has_rules = relative.empty();
  HF_TRY(std::vector<RawEntry> found, read_entries(folder, has_rules));
  FolderListing listing;
  listing.levels = has_rules ? with_rules_of(library_folder, relative, outer) : outer;
  for (RawEntry& raw : found) {
    // Before the stat: most of a work tree's files may be ignored ones.
    const std::string path = listing.levels ? below(relative, raw.name) : std::string();
    if (listing.levels && raw.type != DT_UNKNOWN && is_ignored(listing.levels, path, raw.type == DT_DIR)) continue;
    const bool unknown = raw.type == DT_UNKNOWN;
    auto entry = listed_entry(folder, raw, stamps);
    if (!entry || (unknown && is_ignored(listing.levels, path, entry->is_folder))) continue;
    listing.entries.push_back(*std::move(entry));
  }
  std::ranges::sort(listing.entries, sorts_before);
  return listing;
}

}  // namespace holdfast::documents
