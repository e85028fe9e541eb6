#include "tools/call_context.h"

#include "base/files/file.h"
#include "base/text/uri.h"
#include "kinds/transcripts/products/claude/project_folder.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>

namespace holdfast::tools {

namespace {

constexpr std::chrono::milliseconds kBetweenReports{200};  // a client shows no more, and every report costs a message

}  // namespace

std::string_view exit_word(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid:
      return "usage";
    case ErrorKind::not_found:
      return "not_found";
    case ErrorKind::ambiguous:
      return "ambiguous";
    case ErrorKind::refused:
    case ErrorKind::conflict:
      return "refused";
    case ErrorKind::corrupt:
    case ErrorKind::too_large:
      return "bad_archive";
    case ErrorKind::unavailable:
    case ErrorKind::timeout:
    case ErrorKind::unauthorised:
      return "network";
    case ErrorKind::cancelled:
    case ErrorKind::io:
    case ErrorKind::internal:
      return "failed";
  }
  return "failed";
}

Result<void> check_owner(const mcp::Caller& caller) {
  if (caller.transport == mcp::Transport::stdio || caller.principal == "local") return {};
  return fail(ErrorKind::refused, "the transcripts on this machine belong to the user who runs the server",
              "use the command line or stdio there, or the first token");
}

Result<const transcripts::Keeper*> CallContext::keeper() {
  HF_CHECK(check_owner(call_.caller()));
  if (!room_.keeper)
    return fail(ErrorKind::unavailable, "transcripts are not offered here", "start the server with the toolset transcripts");
  return room_.keeper;
}

void CallContext::recover() {
  if (room_.keeper) recovered_ = room_.keeper->recover();
}

Result<transcripts::AnySession> CallContext::calling_session() {
  HF_CHECK(keeper());
  transcripts::CallerHints hints = caller_hints();
  if (hints.tool_use_id.empty())
    if (auto thread = find_string(call_.request_meta(), "threadId")) {
      HF_TRY(auto found, find_codex_session(room_.keeper->homes().codex, *thread));
      return transcripts::AnySession{std::move(found)};
    }
  const bool on_stdio = call_.caller().transport == mcp::Transport::stdio;
  HF_TRY(auto found, transcripts::current_session(room_.keeper->homes().claude, hints));
  // Over HTTP the processes above this one say nothing about who is calling.
  if (!on_stdio && found.found_by != "tool_use_id")
    return fail(ErrorKind::not_found, "it cannot be told which session is calling", "name the session by its id");
  return transcripts::AnySession{std::move(found.session)};
}

transcripts::CallerHints CallContext::caller_hints() {
  transcripts::CallerHints hints;
  hints.tool_use_id = find_string(call_.request_meta(), "claudecode/toolUseId").value_or("");
  if (auto here = project(); here && *here) hints.project_path = **here;
  hints.wait = [this](std::chrono::milliseconds time) { return call_.wait_for(time); };
  if (call_.caller().transport == mcp::Transport::stdio)
    hints.environment = room_.remote.environment("CLAUDE_CODE_SESSION_ID").value_or("");
  return hints;
}

std::vector<std::string> CallContext::calling_sessions() {
  if (!room_.keeper) return {};
  std::vector<std::string> ids = transcripts::caller_sessions(room_.keeper->homes().claude, caller_hints());
  if (auto thread = find_string(call_.request_meta(), "threadId")) ids.emplace_back(*thread);
  return ids;
}

std::string CallContext::caller_session() {
  auto session = calling_session();
  return session ? session->id() : std::string();
}

Result<std::optional<std::string>> CallContext::project() {
  HF_TRY(const ResolvedRoots resolved, room_.root.known(call_));
  const auto uri = resolved.one();
  if (!uri) return std::nullopt;
  auto path = path_of_file_uri(*uri);
  if (!path) return std::nullopt;
  HF_TRY(std::string project, transcripts::canonical_project(*path));
  return project;
}

Result<std::string> CallContext::absolute(const std::string& path) {
  if (path.starts_with('/')) return path;
  if (path.starts_with("~/"))
    if (auto home = room_.remote.environment("HOME")) return *home + path.substr(1);
  HF_TRY(const auto here, project());
  if (!here)
    return fail(ErrorKind::invalid, path + " is relative, and it is not known to what",
                "give an absolute path, or start with --root");
  return *here + "/" + path;
}

Result<std::string> CallContext::archive_path(const std::string& id, std::string_view ending) {
  HF_CHECK(make_private_folder(room_.archive_folder));
  return fmt::format("{}/{}-{:%Y%m%d-%H%M%S}{}", room_.archive_folder, id, fmt::gmtime(static_cast<std::time_t>(now() / 1000)),
                     ending);
}

transcripts::Progress CallContext::progress() {
  struct Seen {
    std::string step;
    std::uint64_t before = 0, total = 0;  // of the steps that are over; of this one
    std::chrono::steady_clock::time_point told{};
  };
  // What is reported must only grow, so every step begins where the one before ended.
  return [this, seen = Seen{}](std::string_view step, std::uint64_t done, std::uint64_t total) mutable {
    if (call_.cancelled()) return false;
    if (step != seen.step) {
      seen.before += seen.total;
      seen.step = step;
    }
    seen.total = total;
    const auto now = std::chrono::steady_clock::now();
    if (now - seen.told < kBetweenReports) return true;
    seen.told = now;
    call_.progress(static_cast<double>(seen.before + done), static_cast<double>(seen.before + total), step);
    return true;
  };
}

}  // namespace holdfast::tools
