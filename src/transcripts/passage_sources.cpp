// Which sources there are. Reading them: source_reading.cpp.

#include "transcripts/passage_sources.h"

#include "base/clock.h"
#include "base/ids.h"
#include "jsonl/line_reader.h"
#include "jsonl/scan.h"
#include "transcripts/codex_file_name.h"

#include <fmt/format.h>

#include <dirent.h>
#include <fcntl.h>

#include <array>
#include <set>

namespace holdfast::transcripts {
namespace {

using session::Source;

constexpr std::string_view kProjects = "projects/";
constexpr std::string_view kLineEnding = ".jsonl";
constexpr std::string_view kKept = "kept:";  // begins the incarnation of what only the guard has
// A name that comes within the grain of a file system's clock does not change the time of its folder again; the coarsest have
// two seconds.
constexpr Millis kSettled = 3000;

// What has text that a person or a model has seen. Metadata, tasks and undo copies are no part of the conversation.
bool can_be_searched(ArtifactKind kind) {
  switch (kind) {
    case ArtifactKind::main_transcript:
    case ArtifactKind::flat_agent:
    case ArtifactKind::nested_agent:
    case ArtifactKind::tool_result:
    case ArtifactKind::session_memory:
      return true;
    default:
      return false;
  }
}

std::uint64_t nanoseconds(const struct timespec& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

// A conversation goes on in its file; what has no lines to go on with is another one when it was written to.
std::string incarnation_of(const SourceName& name, const struct stat& status) {
  if (name.is_conversation() && !name.path.ends_with(".zst")) return fmt::format("{:x}", status.st_ino);
  return fmt::format("{:x}.{:x}.{:x}", status.st_ino, status.st_size, nanoseconds(status.st_mtim));
}

}  // namespace

std::optional<SourceName> source_name(std::string_view key) {
  SourceName name;
  if (key.starts_with(kCodexKeys)) {
    name.codex = true;
    name.path = key.substr(kCodexKeys.size());
    const auto file = codex_file_of(name.path);
    if (!file) return std::nullopt;
    name.session = file->id;
    return name;
  }
  if (!key.starts_with(kClaudeKeys)) return std::nullopt;
  name.path = key.substr(kClaudeKeys.size());
  if (!name.path.starts_with(kProjects)) return std::nullopt;
  const std::string_view inside = std::string_view(name.path).substr(kProjects.size());
  const std::size_t slash = inside.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  name.project_folder = inside.substr(0, slash);
  std::string_view session = inside.substr(slash + 1);
  session = session.substr(0, session.find('/'));
  if (session.ends_with(kLineEnding)) session.remove_suffix(kLineEnding.size());
  if (is_uuid(session)) name.session = session;
  const auto kind = kind_of_path(name.path, {name.session, name.project_folder});
  if (!kind || !can_be_searched(*kind)) return std::nullopt;
  name.kind = *kind;
  if (name.session.empty() && name.kind != ArtifactKind::flat_agent) return std::nullopt;
  return name;
}

bool is_kept(const Source& source) {
  return source.incarnation.starts_with(kKept);
}

Result<std::vector<Source>> TranscriptSources::list() {
  std::vector<Source> sources;
  {
    const std::lock_guard lock(listing_);
    HF_CHECK(list_claude(sources));
    HF_CHECK(list_codex(sources));
  }
  if (guard_) HF_CHECK(list_kept(sources));
  forget_deleted_files();
  return sources;
}

Result<void> TranscriptSources::list_claude(std::vector<Source>& sources) {
  const std::string area(kProjects.substr(0, kProjects.size() - 1));
  const auto folder = homes_.claude.open_folder(area);
  if (!folder) {
    if (folder.error().kind == ErrorKind::not_found) return {};
    return fail(folder.error());
  }
  HF_TRY(const auto projects, homes_.claude.entries(area));
  for (const Home::Entry& entry : projects)
    if (entry.type == DT_DIR) list_folder(*folder, entry.name, true, sources);
  return {};
}

// Transcripts of the project, then whatever lies in the folders of its sessions, however deep. Paths are those below projects/.
void TranscriptSources::list_folder(const Fd& area, const std::string& path, bool of_project, std::vector<Source>& sources) {
  const auto known = look_into(area, path);
  if (!known) {  // it has gone, or may not be read; the others can be found all the same
    folders_.erase(path);
    return;
  }
  struct stat status{};
  for (const KnownFile& file : (*known)->files)
    if (::fstatat(area.get(), file.path.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode))
      add(file.key, file.source, status, sources);
  // Nodes of the table stay where they are while it grows.
  for (const std::string& name : (*known)->folders)
    if (!of_project || is_uuid(name)) list_folder(area, path + "/" + name, false, sources);
}

bool TranscriptSources::is_as_known(const KnownFolder& known, const struct stat& status) {
  return known.settled && S_ISDIR(status.st_mode) && known.inode == status.st_ino && known.changed == nanoseconds(status.st_mtim);
}

Result<const TranscriptSources::KnownFolder*> TranscriptSources::look_into(const Fd& area, const std::string& path) {
  KnownFolder& known = folders_[path];
  struct stat status{};
  // A link in the middle of the path leads to another folder than the known one. Whatever is found here is opened with care.
  if (known.settled && ::fstatat(area.get(), path.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && is_as_known(known, status))
    return &known;
  const std::string whole = std::string(kProjects) + path;
  HF_TRY(const Fd folder, homes_.claude.open_folder(whole));
  if (::fstat(folder.get(), &status) != 0) return fail(system_error(whole, errno));
  known = {};
  known.inode = status.st_ino;
  known.changed = nanoseconds(status.st_mtim);
  known.settled = mtime_of(status) + kSettled < SystemClock().now();
  HF_TRY(auto entries, homes_.claude.entries(whole));
  for (Home::Entry& entry : entries) {
    if (entry.type == DT_DIR) {
      known.folders.push_back(std::move(entry.name));
    } else if (entry.type == DT_REG) {
      std::string key = fmt::format("{}{}/{}", kClaudeKeys, whole, entry.name);
      if (auto name = source_name(key)) known.files.push_back({path + "/" + entry.name, std::move(key), *std::move(name)});
    }
  }
  return &known;
}

void TranscriptSources::add(const std::string& key, const SourceName& name, const struct stat& status,
                            std::vector<Source>& sources) {
  Source source;
  source.session = name.session.empty() ? session_of_flat_agent(name, status.st_ino) : name.session;
  if (source.session.empty()) return;  // not written yet, or nobody's
  source.key = key;
  source.kind = "transcript";
  source.changed_at = mtime_of(status);
  source.stamp = nanoseconds(status.st_mtim);
  source.size = static_cast<std::uint64_t>(status.st_size);
  source.incarnation = incarnation_of(name, status);
  sources.push_back(std::move(source));
}

std::string TranscriptSources::session_of_flat_agent(const SourceName& name, ino_t inode) {
  if (const auto known = flat_agents_.find({name.path, inode}); known != flat_agents_.end()) return known->second;
  const auto file = homes_.claude.open_file(name.path);
  if (!file) return {};
  auto lines = jsonl::LineReader::of_stream(file->get());
  const auto line = lines.next();
  if (!line || !*line) return {};
  jsonl::Scanner scanner;
  constexpr std::array<std::string_view, 1> kNames = {"sessionId"};
  std::array<jsonl::Token, 1> found;
  scanner.fields((*line)->text, kNames, found);
  // It stands in commands that people paste, so it has to be an id and nothing else.
  const std::string id = found[0].text();
  if (!is_uuid(id)) return {};
  return flat_agents_[{name.path, inode}] = id;
}

Result<void> TranscriptSources::list_codex(std::vector<Source>& sources) {
  HF_TRY(const auto sessions, codex_sessions(homes_.codex));
  for (const CodexSession& session : sessions) {
    const std::string key = std::string(kCodexKeys) + session.path;
    const auto name = source_name(key);
    const auto status = homes_.codex.stat(session.path);
    if (!name || !status || !*status || !S_ISREG((*status)->st_mode)) continue;
    add(key, *name, **status, sources);
    if (!session.compressed) continue;
    const auto inventory = codex_inventory(homes_.codex, session);
    if (inventory)
      sources.back().size = inventory->bytes();
    else
      sources.pop_back();
  }
  return {};
}

Result<void> TranscriptSources::list_kept(std::vector<Source>& sources) {
  std::set<std::string, std::less<>> there;
  for (const Source& source : sources) there.insert(source.key);
  HF_TRY(const auto files, guard_->files());
  for (const session::KeptFile& file : files) {
    if (there.contains(file.key)) continue;
    const auto name = source_name(file.key);
    if (!name || name->session.empty()) continue;
    Source source;
    source.key = file.key;
    source.session = name->session;
    source.kind = "transcript";
    source.changed_at = file.modified_at;
    source.size = file.size;
    source.incarnation = fmt::format("{}{}", kKept, file.version);
    sources.push_back(std::move(source));
  }
  return {};
}

}  // namespace holdfast::transcripts
