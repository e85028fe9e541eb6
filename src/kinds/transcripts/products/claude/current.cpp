#include "kinds/transcripts/products/claude/current.h"

#include "base/ids.h"
#include "base/json/json.h"
#include "base/text/find_bytes.h"
#include "jsonl/tail.h"
#include "kinds/transcripts/home/running.h"
#include "kinds/transcripts/verbs/erase.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <optional>

namespace holdfast::transcripts {

namespace {

// The call is being made now, so its line is near the end of a file written lately: behind it there is at most what parallel
// calls of the same message brought.
constexpr std::uint64_t kSearchedBytes = 4ULL * 1024 * 1024;
constexpr std::size_t kSearchedFiles = 64;

Result<std::string> read_end(const jsonl::LiveFile& file) {
  std::uint64_t at = file.size() - std::min(file.size(), kSearchedBytes);
  std::string text(file.size() - at, '\0');
  std::size_t held = 0;
  while (held < text.size()) {
    const ssize_t got = ::pread(file.fd(), text.data() + held, text.size() - held, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(system_error("reading the end of a transcript", errno));
    if (got == 0) break;
    held += static_cast<std::size_t>(got);
    at += static_cast<std::uint64_t>(got);
  }
  text.resize(held);
  return text;
}

bool any_line_has(std::string_view text, std::string_view id) {
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t at = find_bytes(text, id, from);
    if (at == text.npos) return false;
    const std::size_t before = at == 0 ? text.npos : text.rfind('\n', at - 1);
    const std::size_t begin = before == text.npos ? 0 : before + 1;
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (has_tool_use(text.substr(begin, end - begin), id)) return true;
    from = end;
  }
  return false;
}

}  // namespace

bool has_tool_use(std::string_view line, std::string_view tool_use_id) {
  const auto record = parse_json(line);
  if (!record || !record->is_object()) return false;
  const JsonObject* message = find_object(record->get_object(), "message");
  const JsonArray* content = message ? find_array(*message, "content") : nullptr;
  return content && std::ranges::any_of(*content, [&](const Json& block) {
           return block.is_object() && find_string(block.get_object(), "type") == "tool_use" &&
                  find_string(block.get_object(), "id") == tool_use_id;
         });
}

namespace {

// A copy of the caller that was made since its call holds that call, too. Copies are named by UUIDv7, which sort by time.
bool may_be_original_of(const std::string& session, const std::string& copy) {
  return !is_native_id(copy) && (is_native_id(session) || session < copy);
}

}  // namespace

struct ToolUseSearch::Candidate {
  SessionPlace place;
  std::string path;
  std::string agent_id;
  std::uint64_t size = 0;
  Millis mtime = 0;
};

ToolUseSearch::ToolUseSearch(const Home& home, std::string tool_use_id, std::string project_path)
    : home_(home), tool_use_id_(std::move(tool_use_id)), project_path_(std::move(project_path)) {}

Result<std::optional<ToolUseSearch::Found>> ToolUseSearch::look() {
  HF_TRY(const auto newest, candidates());
  std::optional<Found> found;
  for (const Candidate& candidate : newest) {
    if (found && !may_be_original_of(candidate.place.session_id, found->session.place.session_id)) continue;
    const auto known = seen_.find(candidate.path);
    if (known != seen_.end() && known->second == candidate.size) continue;
    HF_TRY(const bool holds, holds_it(candidate));
    if (!holds) {
      seen_[candidate.path] = candidate.size;
      continue;
    }
    FoundSession session{candidate.place, candidate.size, candidate.mtime};
    if (!candidate.agent_id.empty()) {
      HF_TRY(const auto main, home_.stat(candidate.place.transcript()));
      if (!main) continue;
      session.size = static_cast<std::uint64_t>(main->st_size);
      session.mtime = mtime_of(*main);
    }
    found = Found{std::move(session), candidate.agent_id};
  }
  return found;
}

Result<std::vector<ToolUseSearch::Candidate>> ToolUseSearch::candidates() const {
  const std::optional<std::string> project = project_path_.empty() ? std::nullopt : std::optional(project_path_);
  HF_TRY(const auto sessions, all_sessions(home_, project));
  std::vector<Candidate> found;
  for (const FoundSession& session : sessions) {
    found.push_back({session.place, session.place.transcript(), {}, session.size, session.mtime});
    HF_CHECK(add_agents(session.place, found));
  }
  const std::size_t wanted = std::min(kSearchedFiles, found.size());
  std::ranges::partial_sort(found, found.begin() + static_cast<std::ptrdiff_t>(wanted), std::greater{}, &Candidate::mtime);
  found.resize(wanted);
  return found;
}

// While a subagent works its session's own file may rest for hours, so agents are looked for in every session.
Result<void> ToolUseSearch::add_agents(const SessionPlace& place, std::vector<Candidate>& found) const {
  std::vector<std::string> waiting = {place.folder() + "/subagents"};
  while (!waiting.empty()) {
    const std::string folder = std::move(waiting.back());
    waiting.pop_back();
    const auto entries = home_.entries(folder);
    if (!entries) continue;  // a link, or not readable: not where the client writes
    for (const Home::Entry& entry : *entries) {
      const std::string path = folder + "/" + entry.name;
      if (entry.type == DT_DIR) waiting.push_back(path);
      if (entry.type != DT_REG || kind_of_path(path, place) != ArtifactKind::nested_agent) continue;
      HF_TRY(const auto status, home_.stat(path));
      if (!status) continue;
      constexpr std::size_t kPrefix = std::string_view("agent-").size(), kSuffix = std::string_view(".jsonl").size();
      found.push_back({place, path, entry.name.substr(kPrefix, entry.name.size() - kPrefix - kSuffix),
                       static_cast<std::uint64_t>(status->st_size), mtime_of(*status)});
    }
  }
  return {};
}

Result<bool> ToolUseSearch::holds_it(const Candidate& candidate) const {
  auto fd = home_.open_file(candidate.path);
  if (!fd) return false;
  HF_TRY(const auto file, jsonl::LiveFile::of(*std::move(fd)));
  HF_TRY(const std::string text, read_end(file));
  return any_line_has(text, tool_use_id_);
}

namespace {

constexpr std::chrono::milliseconds kBetweenLooks{50};
constexpr std::chrono::milliseconds kLongestSearch{1'000};  // §3.1: the line may lag that much

Result<std::optional<CurrentSession>> by_tool_use(const Home& home, const CallerHints& hints) {
  ToolUseSearch search(home, hints.tool_use_id, hints.project_path);
  for (auto waited = std::chrono::milliseconds{0};; waited += kBetweenLooks) {
    HF_TRY(auto found, search.look());
    if (found) return CurrentSession{std::move(found->session), "tool_use_id", std::move(found->agent_id)};
    if (waited >= kLongestSearch || !hints.wait || !hints.wait(kBetweenLooks)) return std::nullopt;
  }
}

// The one session of this id, of the project where that can be said; nullopt when there is none or it stays unclear which.
Result<std::optional<FoundSession>> session_of(const Home& home, const std::string& id, const std::string& project_path) {
  if (!is_uuid(id)) return std::nullopt;
  HF_TRY(auto found, sessions_with_prefix(home, id));
  if (found.size() > 1 && !project_path.empty()) {
    HF_TRY(found, sessions_with_prefix(home, id, project_path));
  }
  if (found.size() != 1) return std::nullopt;
  return std::move(found.front());
}

Result<std::optional<FoundSession>> by_environment(const Home& home, const CallerHints& hints) {
  if (!is_uuid(hints.environment)) return std::nullopt;
  if (hints.project_path.empty()) return session_of(home, hints.environment, {});
  HF_TRY(auto found, sessions_with_prefix(home, hints.environment, hints.project_path));
  if (found.size() != 1) return std::nullopt;
  return std::move(found.front());
}

}  // namespace

std::vector<std::string> caller_sessions(const Home& home, const CallerHints& hints) {
  if (!hints.tool_use_id.empty())
    if (auto found = by_tool_use(home, hints); found && *found) return {(*found)->session.place.session_id};
  std::vector<std::string> ids;
  if (auto client = client_above(home); client && *client) ids.push_back((*client)->session_id);
  if (is_uuid(hints.environment)) ids.push_back(hints.environment);
  return ids;
}

Result<CurrentSession> current_session(const Home& home, const CallerHints& hints) {
  if (!hints.tool_use_id.empty()) {
    HF_TRY(auto found, by_tool_use(home, hints));
    if (found) return *std::move(found);
  }
  HF_TRY(const auto client, client_above(home));
  HF_TRY(auto environment, by_environment(home, hints));
  std::optional<FoundSession> registered;
  if (client) {
    HF_TRY(registered, session_of(home, client->session_id, client->cwd.empty() ? hints.project_path : client->cwd));
  }
  // Older clients do not follow /clear in their registration. Then the session of the environment has been written to since.
  const bool stale =
      registered && environment && environment->place != registered->place && environment->mtime > client->updated_at;
  if (registered && !stale) return CurrentSession{*std::move(registered), "process", {}};
  if (environment) return CurrentSession{*std::move(environment), "environment", {}};
  return fail(ErrorKind::not_found, "it cannot be told which session is calling",
              "name the session: its id, or the start of it; list_recent_sessions and `holdfast list` show them");
}

}  // namespace holdfast::transcripts
