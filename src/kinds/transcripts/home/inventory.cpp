#include "kinds/transcripts/home/inventory.h"

#include "base/ids.h"
#include "jsonl/line_reader.h"
#include "jsonl/scan.h"
#include "jsonl/tail.h"
#include "kinds/transcripts/products/claude/slugs.h"
#include "kinds/transcripts/products/codex/codex_file_name.h"

#include <dirent.h>

#include <algorithm>
#include <array>
#include <set>

namespace holdfast::transcripts {

namespace {

struct CountField {
  std::string_view name;
  std::array<ArtifactKind, 2> kinds;  // twice the same where there is one
  bool single = false;
};
constexpr auto kCountFields = [] {
  using enum ArtifactKind;
  return std::array<CountField, 12>{{{"agent_files", {flat_agent, nested_agent}},
                                     {"agent_metadata", {agent_metadata, agent_metadata}},
                                     {"workflow_files", {workflow_journal, workflow_run}},
                                     {"plan_files", {plan, plan}},
                                     {"tool_results", {tool_result, tool_result}},
                                     {"todos", {todo, todo}},
                                     {"session_env", {session_env, session_env}},
                                     {"tasks", {task, task_metadata}},
                                     {"session_memory", {session_memory, session_memory}, true},
                                     {"debug_log", {debug_log, debug_log}, true},
                                     {"file_history", {file_history, file_history}},
                                     {"other", {other, other}}}};
}();

std::uint64_t count_of(const KindCounts& counts, ArtifactKind kind) {
  const auto found = counts.find(kind);
  return found == counts.end() ? 0 : found->second;
}

}  // namespace

void add_kind_counts(JsonObject& json, const KindCounts& counts, std::string_view ending) {
  for (const CountField& field : kCountFields) {
    const auto [a, b] = field.kinds;
    const std::uint64_t count = count_of(counts, a) + (a == b ? 0 : count_of(counts, b));
    const std::string name = std::string(field.name) + std::string(ending);
    if (field.single) {
      json[name] = count > 0;
    } else {
      json[name] = count;
    }
  }
}

std::uint64_t sum_of(const KindCounts& counts) {
  std::uint64_t sum = 0;
  for (const auto& [kind, count] : counts) sum += count;
  return sum;
}

Json text_or_null(std::string_view text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

namespace {

void sort_files(std::vector<Artifact>& files) {
  std::ranges::sort(files,
                    [](const Artifact& a, const Artifact& b) { return a.kind != b.kind ? a.kind < b.kind : a.path < b.path; });
}

class Taking {
 public:
  Taking(const Home& home, const SessionPlace& place) : home_(home) { inventory_.place = place; }

  Result<Inventory> run() {
    const SessionPlace& place = inventory_.place;
    HF_CHECK(take_main());
    HF_CHECK(take_flat_agents());
    HF_CHECK(take_folder(place.folder()));
    HF_CHECK(take_todos());
    for (const std::string_view area : {"tasks", "session-env", "file-history"})
      HF_CHECK(take_folder(std::string(area) + "/" + place.session_id));
    HF_CHECK(take_named("debug/" + place.session_id + ".txt"));
    HF_CHECK(take_plans());
    sort_files(inventory_.artifacts);
    std::ranges::sort(inventory_.folders, {}, &ArtifactFolder::path);
    return std::move(inventory_);
  }

 private:
  Result<void> take_main() {
    const std::string path = inventory_.place.transcript();
    HF_TRY(const auto status, home_.stat(path));
    if (status && S_ISREG(status->st_mode)) {
      add_file(path, *status);
      return {};
    }
    return fail(ErrorKind::not_found, home_.absolute(path) + (status ? ": not a regular file" : ": no such transcript"));
  }

  void add_file(const std::string& path, const struct stat& status) {
    Artifact artifact;
    artifact.kind = kind_of_path(path, inventory_.place).value_or(ArtifactKind::other);
    artifact.path = path;
    artifact.size = static_cast<std::uint64_t>(status.st_size);
    artifact.mode = status.st_mode & 07777;
    artifact.mtime = mtime_of(status);
    inventory_.artifacts.push_back(std::move(artifact));
  }

  // A file or anything else with a name of ours; nothing when it does not exist.
  Result<void> take_named(const std::string& path) {
    HF_TRY(const auto status, home_.stat(path));
    if (!status) return {};
    if (S_ISREG(status->st_mode)) {
      add_file(path, *status);
    } else {
      inventory_.left_out.push_back(path);
    }
    return {};
  }

  // With all that is in it. No recursion: the depth is the choice of whoever made the folders.
  Result<void> take_folder(const std::string& top) {
    std::vector<std::string> waiting = {top};
    while (!waiting.empty()) {
      const std::string path = std::move(waiting.back());
      waiting.pop_back();
      HF_TRY(const auto status, home_.stat(path));
      if (!status) continue;
      if (!S_ISDIR(status->st_mode)) {
        inventory_.left_out.push_back(path);
        continue;
      }
      inventory_.folders.push_back({path, status->st_mode & 07777});
      HF_TRY(const auto entries, home_.entries(path));
      for (const Home::Entry& entry : entries) {
        const std::string below = path + "/" + entry.name;
        if (entry.type == DT_DIR) {
          waiting.push_back(below);
        } else {
          HF_CHECK(take_named(below));
        }
      }
    }
    return {};
  }

  Result<void> take_flat_agents() {
    const std::string folder = "projects/" + inventory_.place.project_folder;
    HF_TRY(const auto entries, home_.entries(folder));
    for (const Home::Entry& entry : entries) {
      const std::string path = folder + "/" + entry.name;
      if (kind_of_path(path, inventory_.place) != ArtifactKind::flat_agent) continue;
      if (entry.type == DT_DIR) continue;
      auto mine = is_agent_of_this_session(path);
      if (!mine) {
        if (mine.error().kind != ErrorKind::not_found) inventory_.left_out.push_back(path);
      } else if (*mine) {
        HF_CHECK(take_named(path));
      }
    }
    return {};
  }

  // By the first record that names a session. Searching the text would find forkedFrom, too, which names another one.
  Result<bool> is_agent_of_this_session(const std::string& path) {
    HF_TRY(Fd fd, home_.open_file(path));
    HF_TRY(const auto file, jsonl::LiveFile::of(std::move(fd)));
    auto lines = file.lines();
    constexpr std::array<std::string_view, 1> kNames = {"sessionId"};
    std::array<jsonl::Token, 1> found;
    for (;;) {
      HF_TRY(const auto line, lines.next());
      if (!line) return false;
      if (line->overlong) continue;
      scanner_.fields(line->text, kNames, found);
      if (found[0].kind == jsonl::TokenKind::string) return found[0].is(inventory_.place.session_id);
    }
  }

  Result<void> take_todos() {
    HF_TRY(const auto entries, home_.entries("todos"));
    for (const Home::Entry& entry : entries) {
      const std::string path = "todos/" + entry.name;
      if (kind_of_path(path, inventory_.place) == ArtifactKind::todo) HF_CHECK(take_named(path));
    }
    return {};
  }

  Result<void> take_plans() {
    Slugs slugs;
    for (const Artifact& artifact : inventory_.artifacts) {
      if (!is_line_file(artifact.kind) || artifact.kind == ArtifactKind::workflow_journal) continue;
      auto fd = home_.open_file(artifact.path);
      if (!fd && fd.error().kind == ErrorKind::not_found) continue;  // gone meanwhile; whoever reads it will say so
      if (!fd) return fail(std::move(fd).error());
      HF_TRY(const auto file, jsonl::LiveFile::of(*std::move(fd)));
      HF_CHECK(collect_slugs(file.fd(), file.size(), slugs));
    }
    for (const std::string& slug : slugs.refused) inventory_.left_out.push_back("slug " + slug + ": not a name for a plan");
    inventory_.slugs.assign(slugs.names.begin(), slugs.names.end());
    for (const std::string& slug : inventory_.slugs) HF_CHECK(take_named("plans/" + slug + ".md"));
    return {};
  }

  const Home& home_;
  Inventory inventory_;
  jsonl::Scanner scanner_;
};

}  // namespace

Millis mtime_of(const struct stat& status) {
  return static_cast<Millis>(status.st_mtim.tv_sec) * 1000 + status.st_mtim.tv_nsec / 1'000'000;
}

std::string SessionPlace::transcript() const {
  return folder() + ".jsonl";
}

std::string SessionPlace::folder() const {
  return "projects/" + project_folder + "/" + session_id;
}

std::uint64_t Inventory::bytes() const {
  std::uint64_t sum = 0;
  for (const Artifact& artifact : artifacts) sum += artifact.size;
  return sum;
}

const Artifact* Inventory::find(std::string_view path) const {
  const auto found = std::ranges::find(artifacts, path, &Artifact::path);
  return found == artifacts.end() ? nullptr : &*found;
}

void Inventory::lie_as_on_disk() {
  sort_files(artifacts);
  std::set<std::string> named;
  for (const Artifact& file : artifacts) {
    for (std::size_t slash = file.path.rfind('/'); slash != std::string::npos && slash > 0;
         slash = file.path.rfind('/', slash - 1)) {
      const std::string folder = file.path.substr(0, slash);
      if (kind_of_path(folder + "/x", place)) named.insert(folder);
    }
  }
  folders.clear();
  for (const std::string& folder : named) folders.push_back({folder, 0700});
}

Result<Inventory> take_inventory(const Home& home, const SessionPlace& place) {
  return Taking(home, place).run();
}

// What a file is, by where it lies (transcript-archive §1.3).

namespace {

constexpr std::array<std::string_view, 17> kArtifactNames = {
    "main_transcript", "flat_agent", "nested_agent", "agent_metadata", "workflow_journal", "workflow_run", "tool_result",
    "session_memory",  "plan",       "todo",         "task",           "task_metadata",    "task_lock",    "session_env",
    "file_history",    "debug_log",  "other"};
static_assert(kArtifactNames.size() == static_cast<std::size_t>(ArtifactKind::other) + 1);

using Parts = std::vector<std::string_view>;

// Empty for a path that could not be one of ours.
Parts parts_of(std::string_view path) {
  Parts parts;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view part = path.substr(begin, end - begin);
    if (part.empty() || part == "." || part == ".." || part.contains('\0')) return {};
    parts.push_back(part);
    begin = end + 1;
  }
  return parts;
}

bool is_between(std::string_view name, std::string_view prefix, std::string_view suffix) {
  return name.size() > prefix.size() + suffix.size() && name.starts_with(prefix) && name.ends_with(suffix);
}

bool is_session(std::string_view name, const SessionPlace& place) {
  return place.session_id.empty() ? is_uuid(name) : name == place.session_id;
}

bool is_session_file(std::string_view name, std::string_view suffix, const SessionPlace& place) {
  return name.ends_with(suffix) && is_session(name.substr(0, name.size() - suffix.size()), place);
}

ArtifactKind kind_in_subagents(const Parts& below) {
  const std::string_view name = below.back();
  if (is_between(name, "agent-", ".jsonl")) return ArtifactKind::nested_agent;
  if (is_between(name, "agent-", ".meta.json")) return ArtifactKind::agent_metadata;
  const bool in_run = below.size() == 4 && below[1] == "workflows" && below[2].starts_with("wf_");
  return in_run && name == "journal.jsonl" ? ArtifactKind::workflow_journal : ArtifactKind::other;
}

// `below` are the parts behind <sid>/.
ArtifactKind kind_in_session_folder(const Parts& below) {
  const std::size_t depth = below.size();
  if (depth < 2) return ArtifactKind::other;
  if (below[0] == "subagents") return kind_in_subagents(below);
  if (below[0] == "workflows") {
    const bool run = depth == 2 && is_between(below[1], "wf_", ".json");
    const bool script = depth == 3 && below[1] == "scripts";
    return run || script ? ArtifactKind::workflow_run : ArtifactKind::other;
  }
  if (below[0] == "tool-results" && depth <= 3) return ArtifactKind::tool_result;
  if (below[0] == "session-memory" && depth == 2 && below[1] == "summary.md") return ArtifactKind::session_memory;
  return ArtifactKind::other;
}

std::optional<ArtifactKind> kind_in_project(const Parts& parts, const SessionPlace& place) {
  if (parts.size() < 3 || (!place.project_folder.empty() && parts[1] != place.project_folder)) return std::nullopt;
  if (parts.size() == 3) {
    if (is_session_file(parts[2], ".jsonl", place)) return ArtifactKind::main_transcript;
    if (is_between(parts[2], "agent-", ".jsonl")) return ArtifactKind::flat_agent;
    return std::nullopt;
  }
  if (!is_session(parts[2], place)) return std::nullopt;
  return kind_in_session_folder(Parts(parts.begin() + 3, parts.end()));
}

ArtifactKind kind_of_task(std::string_view name) {
  if (name == ".lock") return ArtifactKind::task_lock;
  if (name == ".highwatermark") return ArtifactKind::task_metadata;
  return !name.starts_with('.') && name.ends_with(".json") ? ArtifactKind::task : ArtifactKind::other;
}

// todos/<sid>-agent-<aid>.json
bool is_todo(std::string_view name, const SessionPlace& place) {
  const std::size_t id = place.session_id.empty() ? kUuidLength : place.session_id.size();
  return name.size() > id && is_session(name.substr(0, id), place) && is_between(name.substr(id), "-agent-", ".json");
}

bool is_rollout(std::string_view path, const SessionPlace& place) {
  const auto rollout = codex_file_of(path);
  return rollout && is_session(rollout->id, place);
}

}  // namespace

std::string_view name_of(ArtifactKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  return index < kArtifactNames.size() ? kArtifactNames[index] : kArtifactNames.back();
}

bool is_line_file(ArtifactKind kind) {
  return kind == ArtifactKind::main_transcript || kind == ArtifactKind::flat_agent || kind == ArtifactKind::nested_agent ||
         kind == ArtifactKind::workflow_journal;
}

std::optional<ArtifactKind> kind_of_path(std::string_view path, const SessionPlace& place) {
  const Parts parts = parts_of(path);
  if (parts.size() < 2) return std::nullopt;
  const std::string_view area = parts[0];
  const std::size_t depth = parts.size();
  if (area == "projects") return kind_in_project(parts, place);
  // A session of Codex has no project folder; one of Claude Code never lies there.
  if (area == "sessions" || area == "archived_sessions")
    return place.project_folder.empty() && is_rollout(path, place) ? std::optional(ArtifactKind::main_transcript) : std::nullopt;
  if (depth == 2) {
    if (area == "plans" && is_between(parts[1], "", ".md")) return ArtifactKind::plan;
    if (area == "todos" && is_todo(parts[1], place)) return ArtifactKind::todo;
    if (area == "debug" && is_session_file(parts[1], ".txt", place)) return ArtifactKind::debug_log;
    return std::nullopt;
  }
  if (!is_session(parts[1], place)) return std::nullopt;
  if (area == "tasks") return depth == 3 ? kind_of_task(parts[2]) : ArtifactKind::other;
  if (area == "session-env") return depth == 3 ? ArtifactKind::session_env : ArtifactKind::other;
  if (area == "file-history") return depth == 3 ? ArtifactKind::file_history : ArtifactKind::other;
  return std::nullopt;
}

}  // namespace holdfast::transcripts
