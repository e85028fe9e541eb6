#pragma once

// The task runner as this program runs it, the same for the server and the command: models, servers and folders as the settings
// say. It has a thread for its connections. The context outlives it.

#include "cli/program/context.h"
#include "cli/services/server_logins.h"
#include "kinds/runner/run.h"
#include "model/models.h"
#include "net/run/event_loop.h"

#include <memory>
#include <string>

namespace holdfast::cli {

class RunnerService {
 public:
  // mcp_json: the file of server definitions; empty: the usual places. Errors: invalid (a setting, a variable), io.
  static Result<std::unique_ptr<RunnerService>> make(const Context& context, Asking asking, const std::string& mcp_json = {});

  // Over the store as whoever asks sees it; the store and this outlive it.
  runner::Runs runs(session::Store& store) { return {store, *models_, connections_.loop(), settings_}; }

 private:
  RunnerService() = default;

  std::unique_ptr<model::Models> models_;
  net::LoopThread connections_;
  runner::RunSettings settings_;
};

}  // namespace holdfast::cli
