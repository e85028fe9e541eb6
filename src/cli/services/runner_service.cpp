#include "cli/services/runner_service.h"

#include "cli/program/model_settings.h"

namespace holdfast::cli {

Result<std::unique_ptr<RunnerService>> RunnerService::make(const Context& context, Asking asking, const std::string& mcp_json) {
  HF_TRY(auto models, make_configured_models(context, WithoutEndpoints::local_endpoint));
  HF_TRY(const std::string base, base_folder(context.environment));
  runner::RunSettings settings;
  settings.paths.home = context.environment("HOME").value_or("");
  settings.paths.state_folder = context.folders.data;
  settings.paths.base = base;
  settings.paths.allow_root = context.settings.flag("runner.allow_root");
  settings.paths.allow_home = context.settings.flag("runner.allow_home");
  settings.live.client.version = HOLDFAST_VERSION;
  // A question in the middle of the work could not be left: whoever is to be asked was asked before.
  settings.servers = [&context, mcp_json, finder = std::make_shared<runner::ServerFinder>()](
                         const runner::ServersFile& remembered) -> Result<runner::ServerList> {
    HF_TRY(const runner::ServerPlaces places, server_places(context, Asking::nobody, mcp_json, remembered));
    return finder->find(places);
  };
  std::unique_ptr<RunnerService> service(new RunnerService());
  settings.connect = runner::connect_servers(service->connections_.loop(), login_settings(context, asking, mcp_json));
  service->models_ = std::move(models);
  service->settings_ = std::move(settings);
  return service;
}

}  // namespace holdfast::cli
