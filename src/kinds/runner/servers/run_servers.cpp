#include "kinds/runner/servers/run_servers.h"

#include "base/run/parallel.h"
#include "base/text/text.h"
#include "kinds/runner/servers/connect_servers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace holdfast::runner {

namespace {

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

}  // namespace

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

}  // namespace holdfast::runner
