#include "tools/call_context.h"

#include "base/files/file.h"
#include "base/text/text.h"
#include "base/text/uri.h"
#include "kinds/transcripts/products/claude/project_folder.h"
#include "operations/operation.h"
#include "tools/caller_connection.h"
#include "tools/reasoning/reasoning_caller.h"
#include "tools/session/confirmation.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>

namespace holdfast::tools {

namespace {

constexpr std::string_view kQuestions = "clarifying_questions";
constexpr std::chrono::seconds kBetweenSpoken{1};
constexpr std::size_t kSpokenShown = 200;                  // bytes of the end; a status line, not the answer
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

Result<operations::ListedRoots> CallContext::listed_roots() {
  if (tool_ == "research") {
    if (!call_.arguments().contains("root")) return operations::ListedRoots{};
    HF_TRY(ResolvedRoots named, room_.root.known(call_));
    return operations::ListedRoots{std::move(named.roots), false};
  }
  HF_TRY(ResolvedRoots resolved, room_.root.resolve(call_));
  return operations::ListedRoots{std::move(resolved.roots), true};
}

Result<operations::Place> CallContext::place() {
  HF_TRY(const ResolvedRoots resolved, room_.root.resolve(call_));
  operations::Place place;
  if (auto root = resolved.one()) {
    place.root_uri = *root;
    place.root_name = root_display_name(*root);
  }
  place.client = client_name(call_.caller());
  return place;
}

Result<std::optional<operations::Chosen>> CallContext::choose(const std::string& prompt,
                                                              const std::vector<operations::Choice>& choices) {
  if (!call_.caller().can_elicit_form()) return std::nullopt;
  JsonArray offered;
  for (const operations::Choice& each : choices) offered.push_back(JsonObject{{"const", each.value}, {"title", each.title}});
  const JsonObject session{{"type", "string"}, {"title", "Session"}, {"oneOf", std::move(offered)}};
  const mcp::Answer* answer = call_.ask("pick", mcp::Question::form(prompt, {{"type", "object"},
                                                                             {"properties", JsonObject{{"session", session}}},
                                                                             {"required", JsonArray{"session"}}}));
  if (!answer) return operations::asked();
  if (answer->failure && answer->failure->kind != ErrorKind::timeout) return std::nullopt;
  if (answer->failure) return operations::Chosen{{}, "timeout"};
  const JsonObject* content = answer->content();
  if (!content) return operations::Chosen{{}, find_string(answer->result, "action") == "decline" ? "declined" : "cancelled"};
  return operations::Chosen{text_in(*content, "session")};
}

Result<JsonObject> CallContext::confirm(const operations::GatedAction& action) {
  if (!room_.confirmation) return Context::confirm(action);
  return room_.confirmation->pass(call_, tool_, action, now());
}

Result<operations::WholeStore> CallContext::whole_store() {
  if (!room_.stores) return Context::whole_store();
  return operations::WholeStore{&room_.stores->for_system(session::SystemWork::sweep), &store_};
}

Result<operations::Situated> CallContext::situation(operations::Situate how) {
  if (!room_.reasoning) return Context::situation(how);
  return room_.reasoning->situate(call_, store_, how);
}

Result<operations::OfferedRoots> CallContext::offered_roots(operations::Situated& situated) {
  return room_.root.offered(call_, situated.situation.connection);
}

Result<threads::Threads*> CallContext::threads() {
  if (!room_.open) return Context::threads();
  if (!conversations_.threads) conversations_ = room_.open(store_);
  return conversations_.threads.get();
}

Result<research::Research*> CallContext::research() {
  if (!room_.open) return Context::research();
  if (!conversations_.research) conversations_ = room_.open(store_);
  return conversations_.research.get();
}

Result<void> CallContext::clarify(research::StartRequest& request) {
  if (request.clarify != "ask") return {};
  request.clarify = "infer";
  if (!room_.models || !call_.caller().can_elicit_form()) return {};
  JsonObject& state = call_.state();
  if (!state.contains(kQuestions)) {
    const auto asked = research::clarifying_questions(*room_.models, request);
    state[kQuestions] = asked ? to_json_array(*asked) : JsonArray{};
  }
  const JsonArray questions = state.at(kQuestions).as_array();
  if (questions.empty()) return {};
  JsonObject properties;
  for (std::size_t i = 0; i < questions.size(); ++i)
    properties[fmt::format("answer_{}", i + 1)] = JsonObject{{"type", "string"}, {"title", questions[i]}};
  const mcp::Answer* answer = call_.ask(
      "clarify", mcp::Question::form("Before the research starts:", {{"type", "object"}, {"properties", std::move(properties)}}));
  if (!answer) return operations::asked();
  const JsonObject* content = answer->content();
  if (!content) return {};
  for (std::size_t i = 0; i < questions.size(); ++i)
    if (auto said = find_string(*content, fmt::format("answer_{}", i + 1)); said && !said->empty())
      request.clarifications[view(questions[i].as_string())] = *said;
  if (!request.clarifications.empty()) request.clarify = "ask";
  return {};
}

std::function<void(std::string_view)> CallContext::listener() {
  struct Spoken {
    std::size_t characters = 0;
    std::string end;
    std::chrono::steady_clock::time_point reported = std::chrono::steady_clock::now();
  };
  return [this, spoken = Spoken{}](std::string_view piece) mutable {
    spoken.characters += utf8_length(piece);
    spoken.end += piece;
    if (spoken.end.size() > 2 * kSpokenShown) spoken.end.erase(0, spoken.end.size() - kSpokenShown);
    const auto now = std::chrono::steady_clock::now();
    if (now - spoken.reported < kBetweenSpoken) return;
    spoken.reported = now;
    call_.progress(static_cast<double>(spoken.characters), {}, to_valid_utf8(spoken.end));
  };
}

std::function<bool()> CallContext::cancelled() {
  return [this] { return call_.cancelled(); };
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
