#include "runner/run.h"

#include "base/ids.h"
#include "base/text.h"
#include "runner/connect_servers.h"
#include "runner/run_journal.h"
#include "runner/toolbox.h"
#include "session/kinds.h"
#include "session/limits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <condition_variable>
#include <thread>

namespace holdfast::runner {

namespace {

using Time = std::chrono::steady_clock;
using session::Transaction;

constexpr std::size_t kTitleCharacters = 80;
constexpr std::chrono::milliseconds kLook{50};  // at the lease, which nobody hears of when it ends
constexpr std::string_view kServersFile = "servers_file";
// A server that does not start may take half a minute to say so, and forty tasks would wait for it.
constexpr int kFailuresBeforeGivingUp = 3;

std::string lease_name(std::string_view id) {
  return fmt::format("run/{}", id);
}

Result<session::SessionRecord> find_run(session::Reader& reader, std::string_view id) {
  HF_TRY(session::SessionRecord record, reader.get(id));
  if (record.kind != session::kRun || record.visibility == session::Visibility::deleted)
    return fail(ErrorKind::not_found, fmt::format("there is no run {}", id), "session with type run lists them");
  return record;
}

std::string seen_from(const std::string& base, std::string folder) {
  const bool stands_alone = folder.starts_with('/') || folder.starts_with('~') || folder.starts_with("file:");
  return stands_alone || base.empty() ? folder : fmt::format("{}/{}", base, folder);
}

// What every task of a run may rely on.
std::string instructions(const RootsView& roots) {
  std::vector<std::string> paths;
  for (const Root& root : roots->roots) paths.push_back(root.folder.path);
  return fmt::format(
      "You work through a task with tools. Use them to find out what you do not know; do not invent results. When the "
      "task is done, answer in words. The folders you may work in: {}",
      fmt::join(paths, ", "));
}

bool needs_login(const Error& error) {
  return error.code == kLoginRequired;
}

class Work {
 public:
  Work(const RunSettings& settings, const std::string& servers_file, model::Models& models, Executor& executor,
       RunJournal& journal, RunState& state, const std::function<void(const RunProgress&)>& on_progress,
       const std::stop_token& stop)
      : settings_(settings),
        servers_file_(servers_file),
        models_(models),
        executor_(executor),
        journal_(journal),
        state_(state),
        on_progress_(on_progress),
        stop_(stop),
        roots_(settings.paths) {}

  // Only what keeps the journal from being written ends the work early.
  Result<void> run() {
    bool stopped_by_error = false;
    for (std::size_t i = 0; i < state_.request.tasks.size() && !stop_.stop_requested(); ++i) {
      TaskResult& result = state_.results[i];
      if (result.status == "skipped" && !stopped_by_error) HF_CHECK(run_task(i));
      stopped_by_error = stopped_by_error || (state_.request.stop_on_error && result.status != "ok");
    }
    return {};
  }

 private:
  struct Server {
    std::unique_ptr<LiveServer> live;
    Result<RootsApplied> applied;  // of the present task
    int failures = 0;              // one after another
  };

  void tell(std::size_t task, std::string message, const TaskResult* ended = nullptr) {
    const std::lock_guard lock(progress_mutex_);
    if (on_progress_) on_progress_({task + 1, state_.request.tasks.size(), ++step_, std::move(message), ended});
  }

  static std::vector<Roots::Wanted> wanted(const std::vector<std::string>& folders) {
    std::vector<Roots::Wanted> all;
    for (const std::string& folder : folders) all.push_back({folder, std::nullopt});
    return all;
  }

  // Where a task that names no folders works when none before it in this process did: where the run was when it was
  // interrupted, else where it was asked to begin.
  std::vector<std::string> first_folders(std::size_t index) const {
    for (std::size_t i = index; i-- > 0;)
      if (state_.results[i].roots && state_.request.tasks[i].folders) return *state_.request.tasks[i].folders;
    return state_.request.initial_folders.value_or(std::vector<std::string>{settings_.paths.base});
  }

  void problem(std::string what) {
    if (std::ranges::find(state_.problems, what) != state_.problems.end()) return;
    tell(task_, what);
    (void)journal_.problem(what);  // also in the report; a journal that cannot be written ends the work at the next task
    state_.problems.push_back(std::move(what));
  }

  void note_failure(const Error& error) {
    if (stop_.stop_requested()) return;  // nothing is wrong with it
    problem(needs_login(error) ? fmt::format("{} ({})", error.message, error.hint) : error.message);
  }

  Result<void> define_servers() {
    if (defined_) return {};
    HF_TRY(const ServerList list, settings_.servers(servers_file_));
    HF_TRY(const std::vector<ServerDefinition> chosen, choose_servers(list, state_.request.servers));
    defined_ = true;
    if (chosen.empty()) problem("no servers are configured: the model has no tools");
    for (const ServerDefinition& definition : chosen)
      servers_.push_back({std::make_unique<LiveServer>(executor_, definition, roots_, settings_.connect, settings_.live), {}, 0});
    return {};
  }

  // All at once. One that cannot be brought to the folders is named and left out of this task, the others go on.
  Result<RootsApplied> apply_to_servers(std::size_t index) {
    HF_CHECK(define_servers());
    {
      std::vector<std::jthread> threads;
      for (Server& server : servers_)
        if (server.failures < kFailuresBeforeGivingUp)
          threads.emplace_back([this, &server] { server.applied = server.live->apply_roots(stop_); });
    }
    RootsApplied slowest{RootsMode::none, roots_.generation(), {}, true};
    std::size_t usable = 0;
    for (Server& server : servers_) {
      if (!server.applied) {
        ++server.failures;
        note_failure(server.applied.error());
        continue;
      }
      ++usable;
      server.failures = 0;
      HF_CHECK(journal_.roots_applied(index, server.live->definition().name, *server.applied));
      slowest.verified = slowest.verified && server.applied->verified;
      if (server.applied->mode == RootsMode::none || server.applied->elapsed < slowest.elapsed) continue;
      slowest.mode = server.applied->mode;
      slowest.elapsed = server.applied->elapsed;
    }
    // Who was asked for by name is needed, and somebody can help.
    for (const Server& server : servers_)
      if (!server.applied && needs_login(server.applied.error()) && (usable == 0 || !state_.request.servers.empty()))
        return fail(server.applied.error());
    // Without any tool a model would only invent.
    if (usable == 0 && !servers_.empty()) return fail(servers_.front().applied.error());
    return slowest;
  }

  // A folder that cannot be used fails this task, and the roots stay what they were.
  Result<RootsApplied> enter_folders(std::size_t index) {
    const RunTask& task = state_.request.tasks[index];
    const RootsView before = roots_.snapshot();
    if (task.folders) {
      HF_CHECK(roots_.set(wanted(*task.folders)));
    } else if (before->roots.empty()) {
      HF_CHECK(roots_.set(wanted(first_folders(index))));
    }
    auto applied = apply_to_servers(index);
    if (!applied) roots_.put_back(before);
    return applied;
  }

  Result<void> run_task(std::size_t index) {
    const RunTask& task = state_.request.tasks[index];
    TaskResult result;
    result.index = index;
    result.id = task.id;
    const auto begun = Time::now();
    task_ = index;
    HF_CHECK(journal_.task_begins(task, index));
    tell(index, fmt::format("task {}: {}", task.id, shorten(task.text, kTitleCharacters)));
    auto roots = enter_folders(index);
    if (roots) {
      result.roots = *roots;
      if (roots->mode != RootsMode::none) tell(index, fmt::format("folders: {}", name_of(roots->mode)));
      HF_CHECK(ask_model(index, result));
    } else if (needs_login(roots.error())) {
      return fail(roots.error());  // nothing is wrong with the task: it is done once somebody has logged in
    } else {
      result.status = "error";
      result.error = roots.error();
    }
    result.duration_ms = std::chrono::duration_cast<std::chrono::milliseconds>(Time::now() - begun).count();
    // A run that is only interrupted does this task again.
    if (stop_.stop_requested() && result.status != "ok") return {};
    HF_CHECK(journal_.task_ends(result));
    tell(index, fmt::format("task {}: {}", task.id, result.status), &result);
    state_.results[index] = std::move(result);
    return {};
  }

  // Of a run that goes on in another process the conversation is known by what was asked and answered.
  void recall(std::size_t index) {
    std::size_t first = index;
    while (first > 0 && state_.request.tasks[first].keep_context) --first;
    for (std::size_t i = first; i < index; ++i) {
      if (state_.results[i].text.empty()) continue;
      messages_.push_back({"user", state_.request.tasks[i].text, {}, {}});
      messages_.push_back({"assistant", state_.results[i].text, {}, {}});
    }
  }

  Result<void> ask_model(std::size_t index, TaskResult& result) {
    const RunTask& task = state_.request.tasks[index];
    std::vector<LiveServer*> servers;
    for (const Server& server : servers_)
      if (server.applied) servers.push_back(server.live.get());
    std::vector<std::string> problems;
    Toolbox toolbox(servers, problems, stop_);
    for (std::string& each : problems) problem(std::move(each));
    if (!task.keep_context || messages_.empty()) {
      messages_ = {{"system", instructions(roots_.snapshot()), {}, {}}};
      recall(index);
    } else if (task.folders) {
      messages_.push_back({"system", instructions(roots_.snapshot()), {}, {}});
    }
    messages_.push_back({"user", task.text, {}, {}});

    LoopLimits limits;
    limits.max_rounds = state_.request.rounds_of(task);
    limits.max_tokens = state_.request.tokens_of(task);
    limits.model = state_.request.model_of(task);
    limits.deadline = Time::now() + std::chrono::seconds(state_.request.timeout_of(task));
    limits.response_format = state_.request.response_format;
    // The journal comes first: what it cannot take must not go on unseen.
    std::optional<Error> lost;
    std::stop_source halt;
    const std::stop_callback by_caller(stop_, [&] { halt.request_stop(); });
    const auto keep = [&](Result<void> written) {
      if (written || lost) return;
      lost = written.error();
      halt.request_stop();
    };
    LoopEvents events;
    events.on_reply = [&](std::int64_t round, const model::Reply& reply) {
      keep(journal_.replied(index, round, reply));
      tell(index, fmt::format("round {}", round));
    };
    events.on_call = [&](const model::ToolCall& call) { tell(index, fmt::format("calls {}", to_valid_utf8(call.name))); };
    events.on_result = [&](const model::ToolCall& call, const ToolOutcome& outcome) {
      keep(journal_.called(index, call, outcome));
      if (auto error = toolbox.login_required()) keep(fail(*std::move(error)));
    };
    LoopResult loop = run_task_loop(models_, toolbox, messages_, limits, events, halt.get_token());
    if (lost) return fail(*lost);
    result.status = std::move(loop.status);
    result.text = std::move(loop.text);
    result.reasoning = std::move(loop.reasoning);
    result.rounds = loop.rounds;
    result.tool_calls = loop.tool_calls;
    result.tool_errors = loop.tool_errors;
    result.usage = loop.usage;
    result.error = std::move(loop.error);
    return {};
  }

  const RunSettings& settings_;
  const std::string& servers_file_;
  model::Models& models_;
  Executor& executor_;
  RunJournal& journal_;
  RunState& state_;
  const std::function<void(const RunProgress&)>& on_progress_;
  const std::stop_token& stop_;
  Roots roots_;
  std::vector<Server> servers_;
  bool defined_ = false;
  std::vector<model::Message> messages_;
  std::mutex progress_mutex_;
  std::uint64_t step_ = 0;
  std::size_t task_ = 0;  // the one that is being worked on
};

std::string_view status_of(const std::vector<TaskResult>& results) {
  return std::ranges::any_of(results, [](const TaskResult& each) { return each.status == "ok"; }) ? "completed" : "failed";
}

}  // namespace

JsonObject report_json(const RunReport& report) {
  JsonArray results, texts, problems;
  for (const TaskResult& result : report.results) {
    results.emplace_back(result_json(result));
    texts.emplace_back(result.error ? fmt::format("Error: {}", result.error->message) : result.text);
  }
  for (const std::string& problem : report.problems) problems.emplace_back(problem);
  JsonObject object{
      {"run_id", report.id}, {"status", report.status}, {"results", std::move(results)}, {"texts", std::move(texts)}};
  if (!problems.empty()) object["problems"] = std::move(problems);
  return object;
}

Result<std::string> Runs::begin(RunRequest request, const Who& who) {
  // A name nobody knows is found out before anything is kept.
  HF_TRY(const ServerList servers, settings_.servers({}));
  HF_CHECK(choose_servers(servers, request.servers));
  // Whoever goes on with it may stand in another folder.
  const std::string& base = settings_.paths.base;
  if (!request.initial_folders) request.initial_folders = {base};
  for (std::string& folder : *request.initial_folders) folder = seen_from(base, std::move(folder));
  for (RunTask& task : request.tasks)
    if (task.folders)
      for (std::string& folder : *task.folders) folder = seen_from(base, std::move(folder));
  const std::string text = holdfast::to_json(request_json(request));
  if (text.size() > session::kMaxTextBytes)
    return fail(ErrorKind::too_large, "the tasks together are too long", "split them into several runs");
  session::SessionRecord record;
  record.id = make_uuid7();
  record.kind = session::kRun;
  record.status = "running";
  record.title = shorten(request.tasks.front().text, kTitleCharacters);
  record.opening = shorten(request.tasks.front().text, session::kMaxOpeningBytes / 4);
  record.principal = who.principal;
  record.client = who.client;
  record.root_uri = who.root_uri;
  record.data = {{"tasks", static_cast<std::int64_t>(request.tasks.size())}, {kServersFile, servers.file}};
  return store_.write([&](Transaction& transaction) -> Result<std::string> {
    HF_TRY(const session::SessionRecord created, transaction.create(record));
    session::NewEntry entry;
    entry.type = "request";
    entry.text = fmt::format("{} tasks", request.tasks.size());
    entry.data = text;
    HF_CHECK(transaction.append(created.id, std::move(entry)));
    return created.id;
  });
}

Result<RunReport> read_report(session::Reader& reader, std::string_view id) {
  HF_TRY(const session::SessionRecord record, find_run(reader, id));
  HF_TRY(RunState state, read_run(reader, id));
  return RunReport{record.id, record.status, std::move(state.results), std::move(state.problems), false};
}

Result<void> cancel_run(session::Store& store, std::string_view id, std::string_view principal) {
  return store.write([&](Transaction& transaction) -> Result<void> {
    HF_TRY(session::SessionRecord record, find_run(transaction, id));
    if (record.principal != principal) return fail(ErrorKind::not_found, fmt::format("there is no run {}", id));
    if (record.status != "running") return fail(ErrorKind::conflict, fmt::format("run {} is over: {}", id, record.status));
    record.status = "cancelled";
    record.completed_at = record.retention_anchor_at = transaction.now();
    HF_CHECK(transaction.update(std::move(record), session::Touch::activity));
    return {};
  });
}

Result<RunReport> Runs::work(std::string_view id, const std::function<void(const RunProgress&)>& on_progress,
                             const std::stop_token& stop) {
  const session::LeaseOwner owner = session::make_lease_owner();
  std::string servers_file;
  auto lease = store_.write([&](Transaction& transaction) -> Result<session::Lease> {
    HF_TRY(const session::SessionRecord record, find_run(transaction, id));
    servers_file = find_string(record.data, kServersFile).value_or("");
    if (record.status != "running")
      return fail(ErrorKind::refused, fmt::format("run {} is over: {}", id, record.status), "start another one", "over");
    return transaction.acquire_lease(lease_name(id), owner);
  });
  if (!lease && lease.error().kind == ErrorKind::conflict) {
    HF_TRY(RunReport busy, read_report(store_, id));
    busy.already_running = true;
    return busy;
  }
  if (!lease) return fail(lease.error());

  HF_TRY(RunState state, read_run(store_, id));
  session::WorkerLease hold(store_, std::string(id), *lease, [&] { return stop.stop_requested(); });
  RunJournal journal(store_, std::string(id), hold);
  // Cancelled by whatever process, lost to another, or asked to stop: the work hears of it at once.
  std::stop_source halt;
  std::jthread watch([&](const std::stop_token& over) {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    while (!over.stop_requested() && !hold.ended()) wake.wait_for(lock, over, kLook, [&] { return hold.ended(); });
    if (hold.ended()) halt.request_stop();
  });
  auto worked = Work(settings_, servers_file, models_, executor_, journal, state, on_progress, halt.get_token()).run();
  watch.request_stop();
  watch.join();
  // Free for whoever resumes it; should that fail, the lease runs out by itself.
  const auto release = [&] {
    (void)store_.write(
        [&](Transaction& transaction) { return transaction.release_lease(lease->name, lease->owner, lease->epoch); });
  };
  if (hold.end() == session::WorkEnd::stopping) {
    release();
    return read_report(store_, id);
  }
  if (hold.end() == session::WorkEnd::cancelled) return read_report(store_, id);
  if (!worked) {
    release();
    Error why = std::move(worked).error();
    if (needs_login(why)) why.hint += fmt::format("; then holdfast run --resume {} goes on", id);
    return fail(std::move(why));
  }
  HF_CHECK(journal.close(status_of(state.results)));
  return read_report(store_, id);
}

}  // namespace holdfast::runner
