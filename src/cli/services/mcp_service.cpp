// What this program offers over MCP, put together once for stdio and for HTTP.
//
// Parts are made in the order in which they need each other, which is the order of ToolService's members, and end in the opposite
// one: what knows the store goes before it, and what follows its news goes last. open_tools() then fills the server before
// anybody is served: first what every session can do, then the kinds, each with what it adds to the `session` tool, which is
// declared only when all of it is known. Tools are listed in the order in which they are added; therefore research opens early,
// for what it adds, and its own tool comes behind those of documents.
//
// What costs much waits for the first call that needs it: the search index, the runner with its thread, the models. What goes on
// by itself begins with the loop and works on the pool: retention, expired values, news of other processes, runs whose process
// died. At the end ask_to_stop() comes first, so that nothing new is begun; stop() waits for workers; whoever made this then
// closes the pool, and only after that may anything here go.

#include "cli/services/mcp_service.h"

#include "base/run/log.h"
#include "base/run/pool.h"
#include "cli/program/care_settings.h"
#include "cli/program/document_settings.h"
#include "cli/services/keeper_of_home.h"
#include "cli/services/research_service.h"
#include "cli/services/runner_service.h"
#include "cli/services/search_service.h"
#include "kinds/documents/workspace/handles.h"
#include "operations/table.h"
#include "session/life/expiry.h"
#include "session/life/sweep.h"
#include "tools/documents/document_tools.h"
#include "tools/documents/document_workspaces.h"
#include "tools/mcp_state.h"
#include "tools/project_root.h"
#include "tools/reasoning/reasoning_caller.h"
#include "tools/reasoning/reasoning_tools.h"
#include "tools/research/research_tool.h"
#include "tools/runner/runner_tools.h"
#include "tools/session/confirmation.h"
#include "tools/session/notices.h"
#include "tools/session/session_news.h"
#include "tools/session/session_operations.h"
#include "tools/session/session_tools.h"
#include "tools/transcripts/transcript_tools.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <set>

namespace holdfast::cli {

namespace {

mcp::ServerOptions server_options(const Settings& settings) {
  mcp::ServerOptions options;
  options.name = "holdfast";
  options.title = "holdfast";
  options.version = HOLDFAST_VERSION;
  options.instructions =
      "Durable sessions that outlive the connection. Think with the thought tool: every thought is kept, and after a reconnect, "
      "a restart or a compaction "
      "the next one continues the project's session. init with operation load_context shows where you were; the session tool "
      "finds, reads and organises "
      "earlier work of every kind. research keeps conversations and answers questions from the user's own documents and past "
      "sessions.";
  if (!settings.list("documents.roots").empty())
    options.instructions +=
        " read a document before you edit it, with the session_id that read returns; every change waits for a person's review.";
  options.tasks = true;
  return options;
}

tools::ReasoningSettings reasoning_settings(const Settings& settings) {
  constexpr Millis kHour = 3600 * 1000;
  tools::ReasoningSettings chosen;
  chosen.auto_attach = settings.flag("reasoning.auto_attach");
  chosen.attach_window = settings.number("reasoning.attach_hours") * kHour;
  chosen.agent_name = settings.text("reasoning.agent");
  return chosen;
}

// The groups of tools that a person can choose from (design §4): --tools reasoning,documents; "all" is every group. Errors:
// invalid, naming those there are.
Result<std::set<std::string, std::less<>>> read_toolsets(const std::vector<std::string>& names) {
  constexpr std::array<std::string_view, 5> kToolsets = {"reasoning", "documents", "research", "transcripts", "runner"};
  std::set<std::string, std::less<>> chosen;
  for (const std::string& name : names) {
    if (name == "all")
      chosen.insert(kToolsets.begin(), kToolsets.end());
    else if (std::ranges::find(kToolsets, name) != kToolsets.end())
      chosen.insert(name);
    else
      return fail(ErrorKind::invalid, fmt::format("there is no toolset called {}", name),
                  fmt::format("use all, or some of {}", fmt::join(kToolsets, ", ")));
  }
  return chosen;
}

// Runs that a command left to a server, or whose server has gone, are waited for by somebody.
constexpr std::chrono::minutes kExpireEvery{10};  // events of streams live this long; sweeping more often finds nothing
constexpr std::chrono::seconds kRecoverEvery{5};

// The sessions that a call is about keep their state until the call has looked at them (threads-and-research §5, rule 1).
std::vector<std::string> sessions_named_by(const JsonObject& arguments) {
  std::vector<std::string> named;
  for (const char* name : {"sessionId", "session_id", "thread_id", "research_id", "id"})
    if (auto id = find_string(arguments, name)) named.emplace_back(*id);
  for (const char* name : {"sessionIds", "thread_ids", "research_ids"})
    if (const JsonArray* ids = find_array(arguments, name))
      for (const Json& id : *ids)
        if (id.is_string()) named.emplace_back(view(id.get_string()));
  return named;
}

// A sweep before it would leave it nothing to report, and would be no dry run.
bool sweeps_itself(std::string_view tool, const JsonObject& arguments) {
  return tool == "research" && find_string(arguments, "action") == "cleanup";
}

// The retention sweep of a server process (threads-and-research §5, rule 1): at the start, before tool calls, and by a timer for
// as long as it runs. Each look is one cheap read at most unless a sweep is due; of many processes one sweeps.
//
// Made and started on the executor's thread; the pool is closed and the executor has stopped before it is destroyed.
class RetentionSweep {
 public:
  // A server that sleeps through the hour at which a sweep is due does it a little later.
  static constexpr std::chrono::minutes kLook{10};

  // How long a tool call waits for a sweep; what is left then waits for the next call or the timer. A purge takes some
  // hundredths of a second, and hundreds may be due at once.
  static constexpr std::chrono::milliseconds kPatience{200};

  // on_change: notices were opened or sessions changed; any thread.
  RetentionSweep(session::Store& store, const session::RetentionPolicy& policy, const Clock& clock, Executor& executor,
                 Pool& pool, std::function<void()> on_change)
      : store_(store), policy_(policy), clock_(clock), executor_(executor), pool_(pool), on_change_(std::move(on_change)) {}

  void start();
  // Pool threads. leave_out: the sessions that the call is about, as SweepOptions has them; may be empty.
  void look(std::vector<std::string> leave_out);

 private:
  void sweep(std::vector<std::string> leave_out, std::function<bool()> cancelled);

  session::Store& store_;
  const session::RetentionPolicy& policy_;
  const Clock& clock_;
  Executor& executor_;
  Pool& pool_;
  std::function<void()> on_change_;
  std::atomic<Millis> last_ = 0;  // the last sweep, of whichever process, as far as is known here
};

void RetentionSweep::start() {
  if (!policy_.auto_sweep) return;
  pool_.submit([this] { sweep({}, {}); });
  const std::chrono::milliseconds every(std::clamp<Millis>(policy_.sweep_every, 1000, std::chrono::milliseconds(kLook).count()));
  repeat(executor_, pool_, every, [this] { sweep({}, {}); });
}

void RetentionSweep::look(std::vector<std::string> leave_out) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  sweep(std::move(leave_out), [until] { return std::chrono::steady_clock::now() >= until; });
}

void RetentionSweep::sweep(std::vector<std::string> leave_out, std::function<bool()> cancelled) {
  if (!policy_.auto_sweep) return;
  auto swept = session::sweep_if_due(store_, policy_, clock_.now(), std::move(leave_out), std::move(cancelled), &last_);
  if (!swept) return log(LogLevel::warn, "cli", "what is due stays for now: " + swept.error().message);
  if (!*swept) return;
  const session::SweepReport& report = **swept;
  for (const std::string& failed : report.failed) log(LogLevel::warn, "cli", "not swept: " + failed);
  const std::size_t changed = report.archived.size() + report.deleted.size() + report.purged.size();
  if (changed == 0 && report.notices_created == 0) return;
  log(LogLevel::info, "cli",
      fmt::format("swept: {} notices, {} archived, {} deleted, {} purged", report.notices_created, report.archived.size(),
                  report.deleted.size(), report.purged.size()));
  on_change_();
}

// The service with all its parts; what only some calls need is made when one comes.
class ToolService final : public McpService {
 public:
  ToolService(const Context& context, const session::SharedStore& stores, Executor& executor, Pool& pool);

  Result<void> open_tools();

  mcp::Server& server() override { return server_; }
  Result<SearchService*> search() override;
  void ask_to_stop() override;
  void interrupt_runs() override;
  void stop() override;

 private:
  Result<void> open_reasoning();
  Result<void> open_documents();
  Result<void> open_research();
  Result<runner::Runs> runs(session::Store& store);
  tools::ResearchWorkers::Runs background_runs();
  void follow_news();
  void recover_runs();

  const Context& context_;
  const session::SharedStore& stores_;
  session::StoreView own_;  // of the user who runs this: transcripts are theirs, and what is noted about them
  tools::McpState state_;
  tools::ProjectRoot root_;
  session::RetentionPolicy policy_;
  tools::SessionOperations operations_;
  std::optional<tools::Confirmation> confirmation_;
  std::optional<tools::DocumentWorkspaces> workspaces_;
  std::unique_ptr<transcripts::Keeper> keeper_;
  std::mutex search_mutex_;
  std::unique_ptr<SearchService> search_;  // research searches with it, too
  std::unique_ptr<ResearchParts> research_;
  std::optional<tools::ResearchWorkers> workers_;
  std::optional<tools::ResearchRooms> research_rooms_;
  std::mutex runner_mutex_;
  std::unique_ptr<RunnerService> runner_;  // made at first use
  std::stop_source stopping_;
  tools::RunnerRoom runner_room_;
  tools::CallRoom calls_;
  mcp::Server server_;
  tools::ReasoningCaller reasoning_;
  session::Store& swept_;
  documents::Handles handles_;
  RetentionSweep retention_;
  std::unique_ptr<tools::SessionNews> news_;  // made by a pool thread, ended after the pool
};

ToolService::ToolService(const Context& context, const session::SharedStore& stores, Executor& executor, Pool& pool)
    : context_(context),
      stores_(stores),
      own_(stores, full_identity(context.settings.text("principal"))),
      state_(stores.for_system(session::SystemWork::protocol)),
      root_(stores, state_.owner(), context.settings.text("root"), process_environment()("CLAUDE_PROJECT_DIR").value_or("")),
      policy_(retention_policy(context.settings)),
      operations_(policy_),
      runner_room_{stores, [this](session::Store& store) { return runs(store); }, stopping_.get_token(), *context.clock},
      calls_{.root = root_, .policy = policy_, .clock = *context.clock, .stores = &stores, .reasoning = &reasoning_},
      server_(server_options(context.settings), executor, pool, *context.clock, state_),
      reasoning_(server_, root_, reasoning_settings(context.settings)),
      swept_(stores.for_system(session::SystemWork::sweep)),
      handles_(stores, *context.clock, handle_ttl(context.settings)),
      retention_(swept_, policy_, *context.clock, executor, pool,
                 [this] { server_.resource_updated(std::string(tools::kNoticesUri)); }) {}

Result<void> ToolService::open_tools() {
  HF_TRY(auto chosen, read_toolsets(context_.settings.list("tools")));
  HF_TRY(const tools::GateSettings gate, gate_settings(context_.settings));
  HF_CHECK(server_.open());
  confirmation_.emplace(stores_, policy_, gate);
  calls_.confirmation = &*confirmation_;
  operations_.add_core();
  if (chosen.contains("transcripts")) {
    HF_TRY(keeper_, open_keeper(context_, [this](bool) -> Result<session::Store*> { return &own_; }));
    end_what_died(*keeper_);
    calls_.keeper = keeper_.get();
    calls_.remote.environment = context_.environment;
    calls_.remote.gist.api = context_.settings.text("gist.api");
    calls_.archive_folder = context_.folders.data + "/archives";
    calls_.search = [this]() -> Result<operations::Context::Search> {
      HF_TRY(SearchService * service, search());
      return operations::Context::Search{&service->finder(), &service->sources(), &service->index(),
                                         SearchService::index_folder(context_)};
    };
    tools::add_transcript_kind(operations_, *keeper_);
  }
  if (chosen.contains("research")) HF_CHECK(open_research());
  tools::add_run_kind(operations_);
  if (chosen.contains("reasoning")) HF_CHECK(open_reasoning());
  if (chosen.contains("documents")) HF_CHECK(open_documents());
  if (research_rooms_) HF_CHECK(tools::add_research_tool(server_, *research_rooms_));
  if (keeper_) {
    HF_CHECK(tools::add_transcript_tools(server_, stores_, calls_));
  }
  if (chosen.contains("runner")) HF_CHECK(tools::add_runner_tools(server_, runner_room_));
  tools::add_session_resources(server_, stores_, operations_, calls_);
  tools::add_notice_resource(server_, stores_, calls_);
  // On the pool: it reads and writes the store.
  server_.on_roots_changed([this](const mcp::Caller& caller) {
    server_.pool().submit([this, caller] {
      if (auto forgotten = root_.forget_offered(caller); !forgotten) log(LogLevel::warn, "cli", forgotten.error().message);
    });
  });
  // The sweep is the server's own, whoever calls.
  server_.before_tools([this](std::string_view tool, mcp::Call& call) {
    if (!sweeps_itself(tool, call.arguments())) retention_.look(sessions_named_by(call.arguments()));
  });
  // Login codes, browser logins, transport sessions, events, tasks; and sessions over documents (document-review §3).
  repeat(server_.executor(), server_.pool(), kExpireEvery, [this] {
    if (auto removed = session::sweep_expired(swept_); !removed)
      log(LogLevel::warn, "cli", "expired values stay for now: " + removed.error().message);
  });
  repeat(server_.executor(), server_.pool(), std::chrono::milliseconds(documents::Handles::kSweepEvery), [this] {
    if (auto swept = handles_.sweep(); !swept)
      log(LogLevel::warn, "cli", "sessions over documents do not expire for now: " + swept.error().message);
  });
  server_.executor().post([this] {
    retention_.start();
    follow_news();
    if (workers_ && context_.settings.flag("research.auto_resume")) recover_runs();
  });
  return {};
}

Result<SearchService*> ToolService::search() {
  if (!keeper_)
    return fail(ErrorKind::unavailable, "transcripts are not searched here", "start the server with the toolset transcripts");
  const std::lock_guard lock(search_mutex_);
  if (!search_) {
    HF_TRY(search_, SearchService::open(context_, keeper_->homes(), true));
    search_->keep_up();
  }
  return search_.get();
}

Result<void> ToolService::open_reasoning() {
  operations_.add_argument("range", {{"type", "array"}, {"items", JsonObject{{"type", "integer"}}}});
  operations_.add(operations::line_operations());
  for (const operations::Operation& each : operations::continuing_operations())
    if (!each.kind.empty()) operations_.add(each, std::string(each.kind));
  HF_CHECK(tools::add_init_tool(server_, stores_, calls_));
  HF_CHECK(tools::add_thought_tool(server_, stores_, calls_));
  HF_CHECK(tools::add_session_tool(server_, stores_, operations_, calls_));
  tools::add_reasoning_prompts(server_, stores_, calls_);
  return {};
}

Result<void> ToolService::open_documents() {
  HF_TRY(documents::LibrarySettings settings, library_settings(context_));
  const Millis ttl = handle_ttl(context_.settings);
  workspaces_.emplace(std::move(settings), context_.settings.flag("documents.read_only"), root_,
                      [this, ttl](documents::LibrarySettings library) -> Result<std::unique_ptr<documents::Workspace>> {
                        HF_CHECK(make_data_folder(context_.folders));
                        return documents::Workspace::open(std::move(library), stores_, *context_.clock, ttl);
                      });
  return tools::add_document_tools(server_, *workspaces_, ttl);
}

// Each run is worked as its owner, and sees what that one may see; only the question whose it is, is the server's.
tools::ResearchWorkers::Runs ToolService::background_runs() {
  session::Store& everything = stores_.for_system(session::SystemWork::research);
  return {[this, &everything](const std::string& id, const research::WorkOptions& options) -> Result<research::WorkOutcome> {
            HF_TRY(const session::SessionRecord run, everything.get(id));
            session::StoreView owners(stores_, owner_of_run(run));
            return research_->research(owners)->work(id, options);
          },
          [this, &everything] { return research_->research(everything)->abandoned(); }};
}

Result<void> ToolService::open_research() {
  std::function<Result<OpenTranscripts>()> transcripts;
  if (keeper_)
    transcripts = [this]() -> Result<OpenTranscripts> {
      HF_TRY(SearchService* const service, search());
      return OpenTranscripts{keeper_.get(), service};
    };
  HF_TRY(research_, ResearchParts::make(context_, std::move(transcripts)));
  workers_.emplace(background_runs());
  calls_.open = [this](session::Store& store) {
    return tools::Conversations{research_->threads(store), research_->research(store)};
  };
  calls_.models = &research_->models();
  research_rooms_.emplace(tools::ResearchRooms{stores_, calls_, *workers_,
                                               std::chrono::seconds(context_.settings.number("research.wait_timeout_s"))});
  operations_.add(operations::thread_operations());
  operations_.add(operations::operations_of_runs());
  return {};
}

Result<runner::Runs> ToolService::runs(session::Store& store) {
  const std::lock_guard lock(runner_mutex_);
  if (!runner_) {
    HF_TRY(runner_, RunnerService::make(context_, Asking::nobody));
  }
  return runner_->runs(store);
}

void ToolService::ask_to_stop() {
  stopping_.request_stop();
  if (workers_) workers_->ask_to_stop();
}

void ToolService::interrupt_runs() {
  stopping_.request_stop();
}

void ToolService::stop() {
  stopping_.request_stop();  // also when nobody asked: a client that left
  if (workers_) workers_->stop();
}

void ToolService::recover_runs() {
  server_.pool().submit([this] {
    if (auto recovered = workers_->recover(); !recovered)
      log(LogLevel::warn, "cli", "unfinished research stays for now: " + recovered.error().message);
  });
  server_.executor().after(kRecoverEvery, [this] { recover_runs(); });
}

// Once the loop runs, and on the pool: it takes about as long as all the rest of the start, and the first
// answer does not need it. Without news the server still answers; clients only have to look for themselves.
void ToolService::follow_news() {
  server_.pool().submit([this] {
    auto news = tools::SessionNews::follow(stores_.for_system(session::SystemWork::gateway), server_);
    if (news)
      news_ = std::move(*news);
    else
      log(LogLevel::warn, "cli", "no live updates: " + news.error().message);
  });
}

}  // namespace

Result<std::unique_ptr<McpService>> McpService::open(const Context& context, const session::SharedStore& stores,
                                                     Executor& executor, Pool& pool) {
  auto service = std::make_unique<ToolService>(context, stores, executor, pool);
  HF_CHECK(service->open_tools());
  return service;
}

}  // namespace holdfast::cli
