#include "tools/transcripts/transcript_call.h"

#include "base/text/uri.h"
#include "kinds/transcripts/products/claude/project_folder.h"

namespace holdfast::tools {

namespace {

constexpr std::chrono::milliseconds kBetweenReports{200};  // a client shows no more, and every report costs a message

}  // namespace

JsonObject result_with(std::initializer_list<std::string_view> required) {
  JsonArray names;
  for (const std::string_view name : required) names.emplace_back(name);
  JsonArray either{JsonObject{{"required", std::move(names)}}, JsonObject{{"required", JsonArray{"error", "message"}}}};
  return {{"type", "object"}, {"anyOf", std::move(either)}};
}

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

std::string TranscriptCall::text(std::string_view name) const {
  return std::string(find_string(call_.arguments(), name).value_or(""));
}

bool TranscriptCall::flag(std::string_view name, bool fallback) const {
  return find_bool(call_.arguments(), name).value_or(fallback);
}

std::optional<bool> TranscriptCall::maybe_flag(std::string_view name) const {
  return find_bool(call_.arguments(), name);
}

catalogue::Asker TranscriptCall::asker() const {
  return {[this]() -> Result<session::Store*> { return &store_; }, call_.caller().principal,
          check_owner(call_.caller()) ? &keeper_ : nullptr};
}

Result<void> TranscriptCall::allow() const {
  const auto owner = check_owner(call_.caller());
  if (owner) return {};
  for (const char* argument : {"session_id", "source_session_id"})
    if (const std::string id = text(argument); !id.empty()) HF_CHECK(catalogue::find_transcript(asker(), id));
  return owner;
}

Result<catalogue::Found> TranscriptCall::session(std::string_view argument) {
  HF_TRY(const auto project, folder("source_project"));
  if (const std::string id = text(argument); !id.empty()) {
    return catalogue::find_transcript(asker(), id, project);
  }
  if (project)
    return fail(ErrorKind::invalid, "source_project needs the id of a session", "give the id, or leave source_project out");
  HF_TRY(auto caller, current());
  return catalogue::Found{std::move(caller)};
}

Result<transcripts::AnySession> TranscriptCall::current() {
  transcripts::CallerHints hints = caller_hints();
  if (hints.tool_use_id.empty())
    if (auto thread = find_string(call_.request_meta(), "threadId")) {
      HF_TRY(auto found, find_codex_session(keeper_.homes().codex, *thread));
      return transcripts::AnySession{std::move(found)};
    }
  const bool on_stdio = call_.caller().transport == mcp::Transport::stdio;
  HF_TRY(auto found, transcripts::current_session(keeper_.homes().claude, hints));
  // Over HTTP the processes above this one say nothing about who is calling.
  if (!on_stdio && found.found_by != "tool_use_id")
    return fail(ErrorKind::not_found, "it cannot be told which session is calling", "name the session by its id");
  return transcripts::AnySession{std::move(found.session)};
}

transcripts::CallerHints TranscriptCall::caller_hints() {
  transcripts::CallerHints hints;
  hints.tool_use_id = find_string(call_.request_meta(), "claudecode/toolUseId").value_or("");
  if (auto here = project(); here && *here) hints.project_path = **here;
  hints.wait = [this](std::chrono::milliseconds time) { return call_.wait_for(time); };
  if (call_.caller().transport == mcp::Transport::stdio)
    hints.environment = options_.remote.environment("CLAUDE_CODE_SESSION_ID").value_or("");
  return hints;
}

std::vector<std::string> TranscriptCall::caller_sessions() {
  std::vector<std::string> ids = transcripts::caller_sessions(keeper_.homes().claude, caller_hints());
  if (auto thread = find_string(call_.request_meta(), "threadId")) ids.emplace_back(*thread);
  return ids;
}

std::string TranscriptCall::caller_session() {
  auto session = current();
  return session ? session->id() : std::string();
}

Result<std::optional<std::string>> TranscriptCall::folder(std::string_view argument) const {
  const std::string given = text(argument);
  if (given.empty()) return std::nullopt;
  HF_TRY(const std::string path, absolute(given));
  HF_TRY(std::string folder, transcripts::canonical_project(path));
  return folder;
}

Result<std::optional<std::string>> TranscriptCall::project() const {
  HF_TRY(const ResolvedRoots resolved, root_.known(call_));
  const auto uri = resolved.one();
  if (!uri) return std::nullopt;
  auto path = path_of_file_uri(*uri);
  if (!path) return std::nullopt;
  HF_TRY(std::string project, transcripts::canonical_project(*path));
  return project;
}

Result<std::string> TranscriptCall::absolute(const std::string& path) const {
  if (path.starts_with('/')) return path;
  if (path.starts_with("~/"))
    if (auto home = options_.remote.environment("HOME")) return *home + path.substr(1);
  HF_TRY(const auto here, project());
  if (!here)
    return fail(ErrorKind::invalid, path + " is relative, and it is not known to what",
                "give an absolute path, or start with --root");
  return *here + "/" + path;
}

transcripts::Progress TranscriptCall::progress() {
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
