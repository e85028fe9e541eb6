#include "kinds/research/corpus/walk.h"

#include "base/files/file.h"
#include "base/files/ignore_rules.h"
#include "kinds/research/corpus/corpus.h"

#include <fmt/format.h>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>

namespace holdfast::research {
namespace {

// What programs made or fetched, and what they keep for themselves.
constexpr const char* kBuiltIn[] = {
    ".git/",    ".hg/",          ".svn/",        ".cache/",          ".venv/",         "venv/",
    ".tox/",    "node_modules/", "__pycache__/", ".mypy_cache/",     ".pytest_cache/", ".next/",
    "build/",   "dist/",         "target/",      "cmake-build-*/",   ".gradle/",       ".terraform/",
    "*.min.js", "*.min.css",     "*.map",        "package-lock.json"};

constexpr std::size_t kMaxIgnoreFileBytes = 256 * 1024;

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};
using Folder = std::unique_ptr<DIR, CloseFolder>;

class Walk {
 public:
  Walk(const std::vector<std::string>& ignore, const std::function<bool()>& cancelled)
      : cancelled_(cancelled), settings_(ignore) {
    for (const char* rule : kBuiltIn) rules_.add_rule(rule, "");
  }

  Result<Walked> run(const Fd& root) {
    Fd again(::openat(root.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!again) return fail(system_error("open the folder of documents", errno));
    HF_CHECK(enter(std::move(again), "", 0, rules_));
    std::ranges::sort(walked_.files, {}, &WalkedFile::path);
    keep_within_bytes();
    return std::move(walked_);
  }

 private:
  Result<void> enter(Fd fd, const std::string& path, std::size_t depth, const IgnoreRules& outer) {
    if (cancelled_ && cancelled_()) return fail(ErrorKind::cancelled, "stopped while looking for documents");
    const int folder_fd = fd.get();
    const Folder folder(::fdopendir(folder_fd));
    if (!folder) return {};
    fd.release();
    const std::optional<IgnoreRules> own = rules_in(folder_fd, path, outer);
    const IgnoreRules& rules = own ? *own : outer;
    while (const dirent* entry = ::readdir(folder.get())) {
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      const std::string below = path.empty() ? std::string(name) : path + '/' + std::string(name);
      struct stat status{};
      if (::fstatat(folder_fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
      if (S_ISDIR(status.st_mode)) {
        if (depth + 1 >= kMaxWalkDepth || rules.ignores(below, true)) continue;
        Fd inner(::openat(folder_fd, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (inner)
          HF_CHECK(enter(std::move(inner), below, depth + 1, rules));
        else if (errno == EACCES || errno == EPERM)
          walked_.skipped.add(below + "/", "the folder cannot be opened");
      } else if (S_ISREG(status.st_mode) && !rules.ignores(below, false)) {
        take(below, status);
      }
    }
    return {};
  }

  // Those of the folder's own .gitignore after those of the folders above it; what the settings say decides over all of them.
  // Nothing when the folder adds none.
  std::optional<IgnoreRules> rules_in(int folder, const std::string& path, const IgnoreRules& outer) const {
    const Fd file(::openat(folder, ".gitignore", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file && !path.empty()) return {};
    IgnoreRules rules = outer;
    struct stat status{};
    if (file && ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode))
      if (const auto text = read_all(file.get(), kMaxIgnoreFileBytes)) rules.add_text(*text, path);
    for (const std::string& rule : settings_) rules.add_rule(rule, "");
    return rules;
  }

  void take(const std::string& path, const struct stat& status) {
    const auto size = static_cast<std::uint64_t>(status.st_size);
    if (size > kMaxFileBytes) return walked_.skipped.add(path, fmt::format("longer than {} MiB", kMaxFileBytes >> 20));
    if (walked_.files.size() >= kMaxWalkFiles) return walked_.skipped.add(path, fmt::format("beyond {} files", kMaxWalkFiles));
    walked_.files.push_back({path, size, status.st_mtim.tv_sec * 1'000'000'000LL + status.st_mtim.tv_nsec});
  }

  // After sorting: which files are left out must not depend on the order in which a disk lists them.
  void keep_within_bytes() {
    std::uint64_t bytes = 0;
    const auto beyond =
        std::ranges::find_if(walked_.files, [&](const WalkedFile& file) { return (bytes += file.size) > kMaxWalkBytes; });
    for (auto file = beyond; file != walked_.files.end(); ++file)
      walked_.skipped.add(file->path, fmt::format("beyond {} MiB of documents", kMaxWalkBytes >> 20));
    walked_.files.erase(beyond, walked_.files.end());
  }

  const std::function<bool()>& cancelled_;
  const std::vector<std::string>& settings_;
  IgnoreRules rules_;
  Walked walked_;
};

}  // namespace

Result<Walked> walk(const Fd& root, const std::vector<std::string>& ignore, const std::function<bool()>& cancelled) {
  return Walk(ignore, cancelled).run(root);
}

}  // namespace holdfast::research
