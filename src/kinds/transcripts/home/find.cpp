#include "kinds/transcripts/home/find.h"

#include "base/ids.h"
#include "base/text/text.h"
#include "jsonl/limits.h"
#include "kinds/transcripts/products/claude/project_folder.h"

#include <fmt/format.h>

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <memory>

namespace holdfast::transcripts {
namespace {

constexpr std::string_view kTranscriptEnding = ".jsonl";
constexpr std::uint64_t kCountedBytes = 64ULL * 1024 * 1024;  // of each session shown; so that the answer comes at once

Result<std::vector<std::string>> project_folders(const Home& home, const std::optional<std::string>& project_path) {
  if (project_path) return folders_of_project(home, *project_path);
  HF_TRY(const auto entries, home.entries("projects"));
  std::vector<std::string> folders;
  for (const Home::Entry& entry : entries)
    if (entry.type == DT_DIR) folders.push_back(entry.name);
  return folders;
}

// Only the matches are looked at: in a home of thousands of sessions that is what the time goes into.
Result<std::vector<FoundSession>> matching(const Home& home, std::string_view prefix,
                                           const std::optional<std::string>& project_path) {
  const std::string wanted = to_ascii_lower(prefix);
  HF_TRY(const auto folders, project_folders(home, project_path));
  std::vector<FoundSession> found;
  for (const std::string& folder : folders) {
    auto entries = home.entries("projects/" + folder);
    // One project that may not be read must not hide the others.
    if (!entries && !project_path && entries.error().kind == ErrorKind::refused) continue;
    if (!entries) return fail(std::move(entries).error());
    for (const Home::Entry& entry : *entries) {
      const std::string_view name = entry.name;
      if (entry.type != DT_REG || !name.ends_with(kTranscriptEnding)) continue;
      const std::string_view id = name.substr(0, name.size() - kTranscriptEnding.size());
      if (!is_uuid(id) || !to_ascii_lower(id).starts_with(wanted)) continue;
      FoundSession session;
      session.place = {std::string(id), folder};
      HF_TRY(const auto status, home.stat(session.place.transcript()));
      if (!status) continue;
      session.size = static_cast<std::uint64_t>(status->st_size);
      session.mtime = mtime_of(*status);
      found.push_back(std::move(session));
    }
  }
  return found;
}

std::string count_lines(const Home& home, const FoundSession& session) {
  const auto fd = home.open_file(session.place.transcript());
  if (!fd) return "unreadable";
  const auto buffer = std::make_unique_for_overwrite<char[]>(jsonl::kReadBytes);
  std::uint64_t lines = 0, at = 0;
  while (at < kCountedBytes) {
    const ssize_t got = ::pread(fd->get(), buffer.get(), jsonl::kReadBytes, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return fmt::format("{} lines", lines);
    lines += static_cast<std::uint64_t>(std::count(buffer.get(), buffer.get() + got, '\n'));
    at += static_cast<std::uint64_t>(got);
  }
  return fmt::format("more than {} lines", lines);
}

Error ambiguous(const Home& home, std::string_view text, std::vector<FoundSession> found) {
  std::ranges::sort(found, std::greater{}, &FoundSession::mtime);
  std::string list;
  for (std::size_t i = 0; i < std::min(found.size(), kShownMatches); ++i) {
    list += fmt::format("\n  {}  {}", found[i].place.session_id, description_of(home, found[i]));
  }
  if (found.size() > kShownMatches) list += fmt::format("\n  and {} more", found.size() - kShownMatches);
  const bool one_id = std::ranges::all_of(
      found, [&](const FoundSession& session) { return session.place.session_id == found.front().place.session_id; });
  return make_error(ErrorKind::ambiguous, fmt::format("{} fits {} sessions:{}", text, found.size(), list),
                    one_id ? "say which project it is in" : "give more of the id");
}

}  // namespace

std::string description_of(const Home& home, const FoundSession& session) {
  return fmt::format("{} bytes, {}, {}, in {}", session.size, count_lines(home, session), iso8601(session.mtime),
                     session.place.project_folder);
}

Result<void> check_start_of_session_id(std::string_view text) {
  constexpr std::string_view kPattern = "00000000-0000-0000-0000-000000000000";
  if (!text.empty() && text.size() <= kPattern.size() && is_uuid(std::string(text) + std::string(kPattern.substr(text.size()))))
    return {};
  return fail(ErrorKind::invalid, fmt::format("\"{}\" is not a session id or the start of one", shorten(text, 80)),
              "session ids look like 0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b");
}

Result<std::vector<std::string>> folders_of_project(const Home& home, const std::string& project_path) {
  HF_TRY(const std::string canonical, canonical_project(project_path));
  const std::vector<std::string> names = project_folder_names(canonical);
  std::vector<std::string> folders;
  if (std::ranges::all_of(names, [](const std::string& name) { return name.size() <= kWholeFolderName; })) {
    for (const std::string& name : names) {
      HF_TRY(const auto status, home.stat("projects/" + name));
      if (status && S_ISDIR(status->st_mode)) folders.push_back(name);
    }
    return folders;
  }
  HF_TRY(const auto entries, home.entries("projects"));
  for (const Home::Entry& entry : entries)
    if (entry.type == DT_DIR && is_folder_of(entry.name, canonical)) folders.push_back(entry.name);
  return folders;
}

Result<std::vector<FoundSession>> all_sessions(const Home& home, const std::optional<std::string>& project_path) {
  return matching(home, {}, project_path);
}

Result<std::vector<FoundSession>> sessions_with_prefix(const Home& home, std::string_view prefix,
                                                       const std::optional<std::string>& project_path) {
  HF_CHECK(check_start_of_session_id(prefix));
  return matching(home, prefix, project_path);
}

Result<FoundSession> find_session(const Home& home, std::string_view id_or_prefix,
                                  const std::optional<std::string>& project_path) {
  HF_TRY(auto found, sessions_with_prefix(home, id_or_prefix, project_path));
  if (found.size() == 1) return std::move(found.front());
  if (!found.empty()) return fail(ambiguous(home, id_or_prefix, std::move(found)));
  std::string searched = home.absolute("projects");
  if (project_path) {
    HF_TRY(const std::string canonical, canonical_project(*project_path));
    HF_TRY(const std::string folder, folder_for_project(home, canonical));
    searched += "/" + folder;
  }
  return fail(ErrorKind::not_found, fmt::format("no session {} in {}", id_or_prefix, searched),
              project_path ? "leave the project out to search all projects" : "");
}

Result<std::string> folder_for_project(const Home& home, const std::string& canonical_path) {
  const std::vector<std::string> names = project_folder_names(canonical_path);
  // A whole name of one form alone can be no other folder's.
  if (names.size() == 1 && names.front().size() <= kWholeFolderName) return names.front();
  HF_TRY(const auto folders, folders_of_project(home, canonical_path));
  for (const std::string& name : names)
    if (std::ranges::find(folders, name) != folders.end()) return name;
  return folders.empty() ? names.front() : folders.front();
}

}  // namespace holdfast::transcripts
