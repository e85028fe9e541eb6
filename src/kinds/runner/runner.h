#pragma once

// The task runner as a library: everything that another program needs to let a model work through tasks with the tools of MCP
// servers. examples/run_tasks.cpp is a whole program.
//
//   net::LoopThread connections;                       // net/run/event_loop.h: servers are spoken to there
//   auto store = store::open_store("sqlite:runs.db");  // store/open.h: runs are kept there
//   auto models = model::make_models({endpoint});      // model/open_models.h, or any model::Models of yours
//
//   runner::RunSettings settings;
//   settings.paths.base = "/home/ada/work";            // where relative folders begin; the rest of PathRules is what is refused
//   settings.servers = [](const runner::ServersFile&) { return runner::find_servers({environment, "", "/home/ada/mcp.json"}); };
//   settings.connect = runner::connect_servers(connections.loop());
//   runner::Runs runs(**store, *models, connections.loop(), settings);
//
//   auto request = runner::parse_run_request(parse_json(R"(["count the files"])").value());
//   auto id = runs.begin(*request, {});
//   auto report = runs.work(*id, [](const runner::RunProgress& step) { ... }, stop.get_token());
//
// Errors are values (base/result.h); nothing throws, nothing aborts. Runs may be used by several threads, each with a run of its
// own; work() blocks. What is kept of a run is in the store from the moment it happens: after a crash, work() with the same id
// goes on in the first task without a result; calls that were made are not made again.
//
// Without a model: LiveServer (live_server.h) is one server that stays while its folders change, Roots (roots.h) the folders.

#include "kinds/runner/run.h"
#include "kinds/runner/run_export.h"
#include "kinds/runner/run_request.h"
#include "kinds/runner/servers/connect_servers.h"
#include "kinds/runner/servers/live_server.h"
#include "kinds/runner/servers/roots.h"
#include "kinds/runner/servers/server_files.h"
#include "model/open_models.h"
