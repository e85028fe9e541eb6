#include "kinds/transcripts/products/claude/current.h"

#include "base/ids.h"
#include "kinds/transcripts/home/running.h"
#include "kinds/transcripts/reading/tool_use.h"

#include <optional>

namespace holdfast::transcripts {
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
