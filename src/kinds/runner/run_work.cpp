#include "kinds/runner/run_work.h"

#include "base/run/parallel.h"
#include "base/text/text.h"
#include "kinds/runner/servers/connect_servers.h"
#include "kinds/runner/servers/live_server.h"
#include "kinds/runner/servers/toolbox.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace holdfast::runner {
namespace {

// The servers of one run, brought to its folders together before each task.
//
// They start at the same time, each on a thread of its own. One that hangs must not cost the tasks their time: as soon as another
// one is ready it is waited for only a little, and never beyond the task's deadline; it goes on starting meanwhile and is there
// for a later task. Only somebody who is logging in is waited for longer. One that fails several times in a row is left alone.
// One that has fallen silent (live_server.h) is passed over at once, and used again as soon as it answers.
//
// One thread uses it; the servers may be called by any.
class RunServers {
 public:
  RunServers(Executor& executor, const std::vector<ServerDefinition>& chosen, Roots& roots, const LiveServer::Connect& connect,
             const LiveOptions& options);
  ~RunServers();  // all of them have ended; what is still starting is given up
  RunServers(const RunServers&) = delete;
  RunServers& operator=(const RunServers&) = delete;

  struct Brought {
    struct One {
      LiveServer* server = nullptr;
      RootsApplied applied;
    };
    std::vector<One> usable;
    std::vector<std::string> problems;  // with those that are not, and with how some take folders
    std::optional<Error> error;         // why there is none although some are defined
    bool silent = false;                // then: one of them does not answer; to wait for it in every task would cost that again
    std::optional<Error> login;         // of one that wants somebody to log in (connect_servers.h), when nobody can be asked
  };
  // Brings all of them to the present roots, or as many as can be had until then.
  Brought bring(std::chrono::steady_clock::time_point deadline, const std::stop_token& stop);

  bool several() const { return servers_.size() > 1; }
  bool any_was_usable() const { return any_was_usable_; }

 private:
  struct Server {
    std::unique_ptr<LiveServer> live;
    std::jthread worker;
    // What follows is guarded by mutex_.
    bool busy = false;
    bool late = false;  // it took too long: not waited for again until it succeeds
    int failures = 0;   // one after another
    Result<RootsApplied> applied = fail(ErrorKind::unavailable, "it was not started yet");
  };

  void begin(Server& server);
  void wait(std::chrono::steady_clock::time_point deadline, const std::stop_token& stop);
  bool is_usable(const Server& server) const { return !server.busy && server.applied && !server.live->passed_over(); }
  void wait_for_a_sign(std::chrono::steady_clock::duration patience, const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::stop_source given_up_;
  std::vector<std::unique_ptr<Server>> servers_;
  bool any_was_usable_ = false;
};

using Time = std::chrono::steady_clock;

// A server that does not start may take half a minute to say so, and forty tasks would wait for it.
constexpr int kFailuresBeforeGivingUp = 3;
// For those that are not ready when another one is, once: a busy machine, or npx with its registry, needs long for a first start,
// and a task without its tools is done badly. At most half of the task's time.
constexpr std::chrono::seconds kPatienceWithOthers{30};
constexpr std::size_t kShownProblem = 400;  // characters: some servers answer with a whole page

// Whether one of its tools takes something that looks like a place on disk: such a server should know the folders.
bool takes_paths(LiveServer& server) {
  constexpr std::array<std::string_view, 5> kWords = {"path", "dir", "folder", "file", "cwd"};
  const auto known = server.tools();
  if (!known) return false;
  for (const mcp::RemoteTool& tool : (*known)->tools) {
    const JsonObject* schema = find_object(tool.definition, "inputSchema");
    const JsonObject* properties = schema ? find_object(*schema, "properties") : nullptr;
    if (!properties) continue;
    for (const auto& [key, value] : *properties) {
      const std::string name = to_ascii_lower({key.data(), key.size()});
      if (std::ranges::any_of(kWords, [&](std::string_view word) { return name.contains(word); })) return true;
    }
  }
  return false;
}

// A login that a person makes takes as long as it takes; where nobody can be asked it fails at once.
bool may_ask_somebody(const ServerDefinition& server) {
  return !server.url.empty() && !server.login.never && server.headers.empty();
}

// Without the page for browsers that some servers answer with.
std::string in_short(const Error& error) {
  const std::string lower = to_ascii_lower(error.message);
  const std::size_t page = std::min(lower.find("<!doctype"), lower.find("<html"));
  return shorten(trim(std::string_view(error.message).substr(0, page)), kShownProblem);
}

RunServers::RunServers(Executor& executor, const std::vector<ServerDefinition>& chosen, Roots& roots,
                       const LiveServer::Connect& connect, const LiveOptions& options) {
  for (const ServerDefinition& definition : chosen) {
    auto server = std::make_unique<Server>();
    server->live = std::make_unique<LiveServer>(executor, definition, roots, connect, options);
    servers_.push_back(std::move(server));
  }
}

RunServers::~RunServers() {
  given_up_.request_stop();
  // Each may take seconds to end.
  each_in_parallel(servers_.size(), servers_.size(), "runner", [this](std::size_t i) {
    if (servers_[i]->worker.joinable()) servers_[i]->worker.join();
    servers_[i]->live->close();
    return true;
  });
}

void RunServers::begin(Server& server) {
  server.busy = true;
  server.worker = std::jthread([this, &server, begun = Time::now()] {
    auto applied = server.live->apply_roots(given_up_.get_token());
    const std::lock_guard lock(mutex_);
    server.applied = std::move(applied);
    server.failures = server.applied ? 0 : server.failures + 1;
    server.late = !server.applied &&
                  (server.late || server.applied.error().kind == ErrorKind::timeout || Time::now() - begun > kPatienceWithOthers);
    server.busy = false;
    changed_.notify_all();
  });
}

void RunServers::wait(Time::time_point deadline, const std::stop_token& stop) {
  const auto begun = Time::now();
  const auto patience = std::min<Time::duration>(kPatienceWithOthers, (deadline - begun) / 2);
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const bool some = std::ranges::any_of(servers_, [this](const auto& each) { return is_usable(*each); });
    const bool waits = std::ranges::any_of(servers_, [&](const auto& each) { return each->busy && !(some && each->late); });
    const bool asks = std::ranges::any_of(
        servers_, [](const auto& each) { return each->busy && !each->late && may_ask_somebody(each->live->definition()); });
    const auto until = some && !asks ? begun + patience : deadline;
    if (!waits || Time::now() >= until) break;
    const auto busy = std::ranges::count_if(servers_, [](const auto& each) { return each->busy; });
    changed_.wait_until(lock, stop, until,
                        [&] { return std::ranges::count_if(servers_, [](const auto& each) { return each->busy; }) != busy; });
  }
}

// Without any other there is nothing to do but to wait, for the last time: bring() says so.
void RunServers::wait_for_a_sign(Time::duration patience, const std::stop_token& stop) {
  const auto until = Time::now() + patience;
  for (const auto& server : servers_) {
    {
      const std::lock_guard lock(mutex_);
      if (std::ranges::any_of(servers_, [this](const auto& each) { return is_usable(*each); })) return;
      if (server->busy) continue;
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Time::now());
    server->live->wait_until_heard(std::max(left, std::chrono::milliseconds(0)), stop);
  }
}

RunServers::Brought RunServers::bring(Time::time_point deadline, const std::stop_token& stop) {
  {
    const std::lock_guard lock(mutex_);
    for (const auto& server : servers_)
      if (!server->busy) {
        server->late = server->late || server->live->passed_over();
        if (server->failures < kFailuresBeforeGivingUp || server->late) begin(*server);
      }
  }
  wait(deadline, stop);
  wait_for_a_sign(std::min<Time::duration>(kPatienceWithOthers, (deadline - Time::now()) / 2), stop);
  Brought brought;
  for (const auto& server : servers_) {
    std::unique_lock lock(mutex_);
    const std::string& name = server->live->definition().name;
    if (is_usable(*server)) {
      const RootsApplied applied = *server->applied;
      lock.unlock();
      brought.usable.push_back({server->live.get(), applied});
      if (applied.untold && takes_paths(*server->live))
        brought.problems.push_back(fmt::format(
            "{} does not ask for folders and may work in others than the task's: rootsAt in its definition says where "
            "in its arguments they go",
            name));
      continue;
    }
    const auto silent = server->live->passed_over();
    const Error why = silent         ? *silent
                      : server->busy ? make_error(ErrorKind::timeout, fmt::format("{} has not started yet", name))
                                     : server->applied.error();
    server->late = server->late || server->busy;
    brought.silent = brought.silent || silent || server->late;
    const bool needs_login = why.code == kLoginRequired;
    brought.problems.push_back(needs_login ? fmt::format("{} ({})", why.message, why.hint) : in_short(why));
    if (!brought.error) brought.error = why;
    if (needs_login && !brought.login) brought.login = why;
  }
  if (!brought.usable.empty()) brought.error.reset();
  brought.silent = brought.silent && brought.error;
  any_was_usable_ = any_was_usable_ || !brought.usable.empty();
  return brought;
}

using Time = std::chrono::steady_clock;

std::string joined_paths(const RootsView& roots) {
  std::vector<std::string> paths;
  for (const Root& root : roots->roots) paths.push_back(root.folder.path);
  return fmt::format("{}", fmt::join(paths, ", "));
}

// What every task of a run may rely on.
std::string instructions(const RootsView& roots) {
  return fmt::format(
      "You work through a task with tools. Use them to find out what you do not know; do not invent results. When the "
      "task is done, answer in words. The folders you may work in: {}",
      joined_paths(roots));
}

class Work {
 public:
  Work(const WorkPlace& place, RunState& state, const std::stop_token& stop)
      : place_(place), state_(state), stop_(stop), roots_(place.settings.paths) {}

  Result<std::optional<Error>> run() {
    bool stopped_by_error = false;
    for (std::size_t i = 0; i < state_.request.tasks.size() && !stop_.stop_requested() && !fault_; ++i) {
      TaskResult& result = state_.results[i];
      if (result.status == "skipped" && !stopped_by_error) HF_CHECK(run_task(i));
      stopped_by_error = stopped_by_error || (state_.request.stop_on_error && result.status != "ok");
    }
    return fault_;
  }

 private:
  void tell(std::size_t task, std::string message, const TaskResult* ended = nullptr) {
    const std::lock_guard lock(progress_mutex_);
    if (place_.on_progress) place_.on_progress({task + 1, state_.request.tasks.size(), ++step_, std::move(message), ended});
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
    return state_.request.initial_folders.value_or(std::vector<std::string>{place_.settings.paths.base});
  }

  void problem(std::string what) {
    if (std::ranges::find(state_.problems, what) != state_.problems.end()) return;
    tell(task_, what);
    (void)place_.journal.problem(what);  // also in the report; a journal that cannot be written ends the work at the next task
    state_.problems.push_back(std::move(what));
  }

  Result<void> define_servers() {
    if (servers_) return {};
    HF_TRY(const ServerList list, place_.settings.servers(place_.servers_file));
    HF_TRY(const std::vector<ServerDefinition> chosen, choose_servers(list, state_.request.servers));
    if (!list.warning.empty()) problem(list.warning);
    if (state_.request.servers.empty())
      for (const BrokenServer& broken : list.broken) problem(broken.error.message);
    if (chosen.empty()) problem("no servers are configured: the model has no tools");
    servers_.emplace(place_.executor, chosen, roots_, place_.settings.connect, place_.settings.live);
    return {};
  }

  // All at once. One that cannot be brought to the folders is named and left out of this task, the others go on.
  Result<RootsApplied> apply_to_servers(std::size_t index, Time::time_point deadline) {
    if (auto defined = define_servers(); !defined) {
      fault_ = defined.error();
      return fail(std::move(defined).error());
    }
    RunServers::Brought brought = servers_->bring(deadline, stop_);
    if (!stop_.stop_requested())  // else nothing is wrong with them
      for (std::string& each : brought.problems) problem(std::move(each));
    usable_.clear();
    RootsApplied slowest{RootsMode::none, roots_.generation(), {}, !brought.usable.empty(), false};
    for (const auto& [server, applied] : brought.usable) {
      usable_.push_back(server);
      HF_CHECK(place_.journal.roots_applied(index, server->definition().name, applied));
      slowest.verified = slowest.verified && applied.verified;
      if (applied.mode == RootsMode::none || applied.elapsed < slowest.elapsed) continue;
      slowest.mode = applied.mode;
      slowest.elapsed = applied.elapsed;
    }
    if (brought.error && stop_.stop_requested()) return fail(*std::move(brought.error));
    // Who was asked for by name is needed, and somebody can help.
    if (brought.login && (brought.usable.empty() || !state_.request.servers.empty())) {
      fault_ = brought.login;
      return fail(*std::move(brought.login));
    }
    // Without any tool a model would only invent. One that never started in this process will not start for the next task either,
    // and to wait for one that has fallen silent would cost every task the same again.
    if (!brought.error) return slowest;
    if (!servers_->any_was_usable() || brought.silent) fault_ = *brought.error;
    return fail(*std::move(brought.error));
  }

  // A folder that cannot be used fails this task, and the roots stay what they were.
  Result<RootsApplied> enter_folders(std::size_t index, Time::time_point deadline) {
    const RunTask& task = state_.request.tasks[index];
    const RootsView before = roots_.snapshot();
    if (task.folders) {
      HF_CHECK(roots_.set(wanted(*task.folders)));
    } else if (before->roots.empty()) {
      HF_CHECK(roots_.set(wanted(first_folders(index))));
    }
    if (roots_.available().empty())
      return fail(ErrorKind::unavailable,
                  fmt::format("none of the folders is there any more: {}", joined_paths(roots_.snapshot())),
                  "name the folders of this task", "no_roots");
    for (const Root& root : roots_.snapshot()->roots)
      for (const std::string& warning : root.folder.warnings) problem(warning);
    auto applied = apply_to_servers(index, deadline);
    if (!applied) roots_.put_back(before);
    return applied;
  }

  Result<void> run_task(std::size_t index) {
    const RunTask& task = state_.request.tasks[index];
    TaskResult result;
    result.index = index;
    result.id = task.id;
    const auto begun = Time::now();
    const auto deadline = begun + std::chrono::seconds(state_.request.timeout_of(task));
    task_ = index;
    HF_CHECK(place_.journal.task_begins(task, index));
    tell(index, fmt::format("task {}: {}", task.id, shorten(task.text, kTaskNameCharacters)));
    auto roots = enter_folders(index, deadline);
    if (roots) {
      result.roots = *roots;
      if (roots->mode != RootsMode::none) tell(index, fmt::format("folders: {}", name_of(roots->mode)));
      HF_CHECK(ask_model(index, deadline, result));
    } else {
      result.status = "error";
      result.error = roots.error();
    }
    result.duration_ms = std::chrono::duration_cast<std::chrono::milliseconds>(Time::now() - begun).count();
    const bool stopped = result.status == "cancelled" || (stop_.stop_requested() && result.status != "ok");
    if (stopped && place_.journal.is_cancelled()) {
      result.status = "cancelled";
      if (!result.error) result.error = make_error(ErrorKind::cancelled, "the run was cancelled");
      HF_CHECK(place_.journal.task_is_cancelled(result));
    } else if (stopped || fault_) {
      return {};  // a run that is only interrupted does this task again
    } else {
      HF_CHECK(place_.journal.task_ends(result));
    }
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

  // One system message, at the beginning, and turns that alternate: the templates of some models refuse everything else.
  void open_conversation(std::size_t index) {
    const RunTask& task = state_.request.tasks[index];
    const bool goes_on = task.keep_context && !messages_.empty();
    if (!goes_on) {
      messages_ = {{"system", instructions(roots_.snapshot()), {}, {}}};
      recall(index);
    } else if (messages_.back().role != "assistant") {
      messages_.push_back({"assistant", "(The task before ended here, without an answer.)", {}, {}});
    }
    const bool moved = goes_on && task.folders;
    messages_.push_back(
        {"user",
         moved ? fmt::format("The folders you may work in now: {}\n\n{}", joined_paths(roots_.snapshot()), task.text) : task.text,
         {},
         {}});
  }

  // Only the first task of this process can have been begun by another one.
  Result<Earlier> earlier_of(std::size_t index, TaskResult& result) {
    if (std::exchange(goes_on_, true)) return Earlier();
    auto earlier = place_.journal.earlier(index);
    if (earlier && !earlier->empty()) tell(index, fmt::format("goes on after round {}", earlier->size()));
    if (earlier || earlier.error().kind != ErrorKind::corrupt) return earlier;
    result.status = "error";
    result.error = earlier.error();
    return Earlier();
  }

  Result<void> ask_model(std::size_t index, Time::time_point deadline, TaskResult& result) {
    const RunTask& task = state_.request.tasks[index];
    HF_TRY(const Earlier earlier, earlier_of(index, result));
    if (result.error) return {};
    std::vector<std::string> problems;
    Toolbox toolbox(usable_, servers_->several(), problems, stop_);
    for (std::string& each : problems) problem(std::move(each));
    open_conversation(index);
    LoopLimits limits;
    limits.max_rounds = state_.request.rounds_of(task);
    limits.max_tokens = state_.request.tokens_of(task);
    limits.model = state_.request.model_of(task);
    limits.deadline = deadline;
    limits.call_timeout = std::chrono::seconds(state_.request.call_timeout_of(task));
    limits.max_result_bytes = static_cast<std::size_t>(state_.request.result_bytes_of(task));
    limits.max_calls = static_cast<std::size_t>(state_.request.calls_of(task));
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
      keep(place_.journal.replied(index, round, reply));
      tell(index, fmt::format("round {}", round));
    };
    events.on_call = [&](CallPlace place, const model::ToolCall& call) {
      if (!toolbox.is_repeatable(call.name)) keep(place_.journal.call_begins(index, place, call));
      tell(index, fmt::format("calls {}", to_valid_utf8(call.name)));
    };
    events.on_result = [&](CallPlace place, const model::ToolCall& call, const ToolOutcome& outcome) {
      // What a stop left unanswered may have happened nevertheless: it stays a call that was begun.
      const bool cut_off = stop_.stop_requested() && outcome.is_error && outcome.was_called;
      if (!cut_off) keep(place_.journal.called(index, place, call, outcome));
      if (auto error = toolbox.login_required(); error && !fault_) {
        fault_ = std::move(error);
        halt.request_stop();
      }
    };
    LoopResult loop = run_task_loop(place_.models, toolbox, messages_, limits, events, halt.get_token(), earlier);
    if (lost && lost->kind != ErrorKind::cancelled) return fail(*lost);
    result.status = std::move(loop.status);
    result.text = std::move(loop.text);
    result.reasoning = std::move(loop.reasoning);
    result.rounds = loop.rounds;
    result.tool_calls = loop.tool_calls;
    result.tool_errors = loop.tool_errors;
    result.usage = loop.usage;
    result.error = std::move(loop.error);
    if (result.status == "error") find_fault(task, *result.error);
    return {};
  }

  // Whether the next task would meet the same, because it has nothing to do with what was asked.
  void find_fault(const RunTask& task, const Error& error) {
    model::Ask ask;
    ask.purpose = "chat";
    ask.model = state_.request.model_of(task);
    ask.cancelled = [this] { return stop_.stop_requested(); };
    if (error.code == "NO_LLM_PROVIDER" || error.code == "RATE_LIMITED" ||
        (error.code == "MODEL_NOT_FOUND" && !task.limits.model)) {
      fault_ = error;
    } else if (error.code == "PROVIDER_ERROR" || error.code == "PROVIDER_TIMEOUT") {
      const auto there = place_.models.reachable(ask);
      if (there || there.error().kind == ErrorKind::cancelled) return;
      fault_ = error;
      fault_->kind = there.error().kind;
    }
  }

  const WorkPlace& place_;
  RunState& state_;
  const std::stop_token& stop_;
  Roots roots_;
  std::optional<RunServers> servers_;  // once they are defined
  std::vector<LiveServer*> usable_;    // in the present task
  std::optional<Error> fault_;         // why nothing can be worked on
  std::vector<model::Message> messages_;
  std::mutex progress_mutex_;
  std::uint64_t step_ = 0;
  bool goes_on_ = false;  // a task was worked on in this process
  std::size_t task_ = 0;  // the one that is being worked on
};

}  // namespace

Result<std::optional<Error>> work_through(const WorkPlace& place, RunState& state, const std::stop_token& stop) {
  return Work(place, state, stop).run();
}

}  // namespace holdfast::runner
