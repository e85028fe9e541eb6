// The task runner as a library: a program of its own that lets a local model work on tasks in a folder.
//
//   run_tasks MCP.json FOLDER TASK...
//
// The model is the one on this machine (LMSTUDIO_HOST, LMSTUDIO_PORT, DEFAULT_MODEL); the servers are those of the file. Runs are
// kept in FOLDER/runs.db; started again without tasks, it goes on with the last one that is not finished.

#include "kinds/runner/runner.h"
#include "net/run/event_loop.h"
#include "session/kinds.h"
#include "store/open.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

using namespace holdfast;

namespace {

std::optional<std::string> environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value ? std::optional<std::string>(value) : std::nullopt;
}

Result<std::string> unfinished_run(session::Store& store) {
  session::Query query;
  query.kinds = {std::string(session::kRun)};
  query.statuses = {"running"};
  HF_TRY(const session::Page page, store.list(query));
  if (page.items.empty()) return fail(ErrorKind::not_found, "no run is unfinished", "give it tasks");
  return page.items.front().id;
}

Result<bool> work(const std::string& mcp_json, const std::string& folder, std::vector<std::string> tasks) {
  net::LoopThread connections;
  HF_TRY(const auto store, store::open_store("sqlite:" + folder + "/runs.db", {}));
  HF_TRY(const model::Endpoint endpoint, model::local_endpoint(environment));
  const auto models = model::make_models({endpoint});

  runner::RunSettings settings;
  settings.paths.base = folder;
  settings.servers = [&](const runner::ServersFile&) { return runner::find_servers({environment, folder, mcp_json}); };
  settings.connect = runner::connect_servers(connections.loop());
  runner::Runs runs(*store, *models, connections.loop(), settings);

  std::string id;
  if (tasks.empty()) {
    HF_TRY(id, unfinished_run(*store));
  } else {
    runner::RunRequest request;
    for (std::string& task : tasks) {
      runner::RunTask each;
      each.text = std::move(task);
      each.id = fmt::format("task-{}", request.tasks.size() + 1);
      request.tasks.push_back(std::move(each));
    }
    HF_TRY(id, runs.begin(std::move(request), {}));
  }
  const auto show = [](const runner::RunProgress& step) {
    fmt::print(stderr, "{}/{} {}\n", step.task, step.tasks, step.message);
  };
  HF_TRY(const runner::RunReport report, runs.work(id, show, {}));
  for (const runner::TaskResult& result : report.results)
    fmt::print("{}: {}\n{}\n", result.id, result.status, result.error ? result.error->message : result.text);
  return report.status == "completed";
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) {
    fmt::print(stderr, "usage: run_tasks MCP.json FOLDER [TASK...]\n");
    return 2;
  }
  const auto done = work(words[1], words[2], {words + 3, words + count});
  if (!done) fmt::print(stderr, "run_tasks: {}\n", done.error().message);
  return done && *done ? 0 : 1;
}
