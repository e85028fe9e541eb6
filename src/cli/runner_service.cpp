#include "cli/runner_service.h"

#include "cli/model_settings.h"
#include "runner/connect_servers.h"

#include <filesystem>

namespace holdfast::cli {

namespace {

// Where relative names begin, and tasks that name no folder work.
Result<std::string> base_folder(const Environment& environment) {
  std::error_code problem;
  std::filesystem::path folder = environment("WORKING_DIR").value_or("");
  if (folder.empty()) folder = std::filesystem::current_path(problem);
  if (!problem) folder = std::filesystem::absolute(folder, problem);
  if (problem) return fail(ErrorKind::io, "there is no working directory: " + problem.message());
  return folder.lexically_normal().string();
}

}  // namespace

Result<std::unique_ptr<RunnerService>> RunnerService::make(const Context& context, session::Store& store, std::string mcp_json) {
  HF_TRY(auto models, make_configured_models(context, WithoutEndpoints::local_endpoint));
  HF_TRY(const std::string base, base_folder(context.environment));
  runner::RunSettings settings;
  settings.paths.home = context.environment("HOME").value_or("");
  settings.paths.state_folder = context.folders.data;
  settings.paths.base = base;
  settings.paths.allow_root = context.settings.flag("runner.allow_root");
  settings.paths.allow_home = context.settings.flag("runner.allow_home");
  settings.live.client.version = HOLDFAST_VERSION;
  settings.servers = [environment = context.environment, base, mcp_json = std::move(mcp_json)](const std::string& file) {
    const std::string& named = mcp_json.empty() ? file : mcp_json;
    const auto look_up = [&](const std::string& name) {
      return name == "MCP_JSON_PATH" && !named.empty() ? std::optional(named) : environment(name);
    };
    return runner::find_servers(look_up, base);
  };
  std::unique_ptr<RunnerService> service(new RunnerService());
  settings.connect = runner::connect_servers(service->connections_.loop());
  service->models_ = std::move(models);
  service->runs_ = std::make_unique<runner::Runs>(store, *service->models_, service->connections_.loop(), std::move(settings));
  return service;
}

}  // namespace holdfast::cli
