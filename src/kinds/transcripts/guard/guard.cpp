#include "kinds/transcripts/guard/guard.h"

#include <fmt/format.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace holdfast::transcripts {
namespace {

// After so much a commit: others wait for the guard meanwhile, and a crash costs no more than a second's work.
constexpr std::uint64_t kCommitBytes = 64 * 1024 * 1024;
constexpr std::uint64_t kCommitFiles = 2000;
constexpr std::size_t kTroublesTold = 100;

// Device, inode, size, time of change, and the time that nobody can set: a file that was rewritten and given its old time is
// seen.
std::string incarnation_of(const struct stat& status) {
  return fmt::format("{}:{}:{}:{}.{:09}:{}.{:09}", status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec);
}

// Older ones end with the time of change; nothing is read again because of that.
bool is_unchanged(const std::string& kept, const std::string& now) {
  return kept == now || (std::ranges::count(kept, ':') == 3 && now.starts_with(kept + ":"));
}

// Device and inode alone.
std::string_view identity_in(std::string_view incarnation) {
  return incarnation.substr(0, incarnation.find(':', incarnation.find(':') + 1));
}

void tell(GuardReport& report, const std::string& path, const Error& error) {
  if (report.troubles.size() < kTroublesTold) report.troubles.push_back(path + ": " + error.message);
}

}  // namespace

JsonObject to_json(const GuardReport& report) {
  JsonArray troubles;
  for (const std::string& trouble : report.troubles) troubles.emplace_back(trouble);
  return {{"files", report.files},         {"changed", report.changed},           {"bytes_read", report.bytes_read},
          {"bytes_new", report.bytes_new}, {"bytes_stored", report.bytes_stored}, {"troubles", std::move(troubles)}};
}

Result<void> Guard::keep(const GuardedFile& file, GuardReport& report) {
  const Home& home = home_of(homes_, file.product);
  const auto seen = home.stat(file.path);
  if (!seen) {
    tell(report, file.path, seen.error());
    return {};
  }
  if (!*seen || !S_ISREG((*seen)->st_mode)) return {};  // gone meanwhile
  ++report.files;
  session::Blobs::Incoming incoming;
  incoming.key = guard_key(file);
  HF_TRY(const auto kept, blobs_.file(incoming.key));
  if (kept && is_unchanged(kept->incarnation, incarnation_of(**seen))) return {};

  auto opened = home.open_file(file.path);
  struct stat status{};
  if (opened && ::fstat(opened->get(), &status) != 0) opened = fail(system_error("stat", errno));
  if (!opened) {
    if (opened.error().kind != ErrorKind::not_found) tell(report, file.path, opened.error());
    return {};
  }
  incoming.mode = status.st_mode & 07777;
  incoming.modified_at = mtime_of(status);
  incoming.incarnation = incarnation_of(status);
  incoming.whole = kept && identity_in(kept->incarnation) != identity_in(incoming.incarnation);
  bool unreadable = false;
  incoming.read = [&](std::uint64_t offset, std::span<char> to) -> Result<std::size_t> {
    for (;;) {
      const ssize_t got = ::pread(opened->get(), to.data(), to.size(), static_cast<off_t>(offset));
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno == EINTR) continue;
      unreadable = true;
      return fail(system_error("reading", errno));
    }
  };
  const auto added = blobs_.add(incoming);
  if (!added && unreadable) {
    tell(report, file.path, added.error());
    return {};
  }
  if (!added) return fail(added.error());
  report.changed += added->changed ? 1 : 0;
  report.bytes_read += added->bytes_read;
  report.bytes_new += added->bytes_new;
  report.bytes_stored += added->bytes_stored;
  return {};
}

Result<GuardReport> Guard::keep_files(std::span<const GuardedFile> files, const Progress& progress) {
  GuardReport report;
  std::uint64_t total = 0, done = 0, committed = 0, since = 0;
  std::vector<std::uint64_t> sizes;
  if (progress) {
    sizes.reserve(files.size());
    for (const GuardedFile& file : files) {
      const auto status = home_of(homes_, file.product).stat(file.path);
      sizes.push_back(status && *status ? static_cast<std::uint64_t>((*status)->st_size) : 0);
      total += sizes.back();
    }
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    HF_CHECK(keep(files[i], report));
    if (progress) {
      done += sizes[i];
      if (!progress("keeping", done, total)) {
        HF_CHECK(blobs_.commit());
        return fail(ErrorKind::cancelled, "stopped; what was kept so far stays");
      }
    }
    if (report.bytes_read - committed >= kCommitBytes || ++since >= kCommitFiles) {
      HF_CHECK(blobs_.commit());
      committed = report.bytes_read;
      since = 0;
    }
  }
  HF_CHECK(blobs_.commit());
  return report;
}

Result<GuardReport> Guard::keep_all(const Progress& progress) {
  std::vector<GuardedFile> files;
  std::vector<std::string> troubles;
  const GuardWalk walk{[&](GuardedFile file) { files.push_back(std::move(file)); },
                       {},
                       [&](const Error& error) { troubles.push_back(error.message); }};
  for (const Product product : kProducts) {
    for (const std::string_view area : guarded_areas(product)) {
      walk_guarded(home_of(homes_, product), product, std::string(area), walk);
    }
  }
  HF_TRY(GuardReport report, keep_files(files, progress));
  report.troubles.insert(report.troubles.begin(), troubles.begin(), troubles.end());
  return report;
}

Result<GuardReport> Guard::keep_session(const SessionPlace& place) {
  std::vector<std::string> troubles;
  const auto files = guarded_files_of(homes_.claude, place, [&](const Error& error) { troubles.push_back(error.message); });
  HF_TRY(GuardReport report, keep_files(files));
  report.troubles.insert(report.troubles.begin(), troubles.begin(), troubles.end());
  return report;
}

}  // namespace holdfast::transcripts
