#include "cli/services/runner_service.h"

#include "base/text/text.h"
#include "cli/program/model_settings.h"
#include "kinds/runner/servers/server_files.h"
#include "kinds/transcripts/verbs/copy_result.h"
#include "mcp/oauth/browser_prompt.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

namespace holdfast::cli {

namespace {

std::string what_it_starts(const runner::ProjectServers& project, runner::Trust trust) {
  std::string text =
      fmt::format("{} {}. It starts programs with your rights, or sends to addresses:\n\n", harmless(project.path, true),
                  trust == runner::Trust::changed ? "has changed since you agreed to it" : "comes with this project");
  for (const std::string& definition : project.definitions) text += fmt::format("  {}\n", harmless(definition, true));
  return text + "\n";
}

Error not_agreed(const runner::ProjectServers& project, runner::Trust trust) {
  const std::string folder = std::filesystem::path(project.path).parent_path().string();
  return make_error(
      ErrorKind::refused,
      fmt::format("{} {}: no server of it is started", project.path,
                  trust == runner::Trust::changed ? "has changed since somebody agreed to it"
                                                  : "comes with the project, and nobody has agreed to what it starts"),
      fmt::format("read it; cd {} && holdfast run --trust agrees to it as it is now", transcripts::shell_quoted(folder)),
      std::string(runner::kNotAgreed));
}

runner::Consent consent_of(const Context& context, Asking asking) {
  return [&context, asking](const runner::ProjectServers& project) -> Result<void> {
    const runner::TrustedFiles trusted(context.folders.data + "/trusted-servers.json");
    HF_TRY(const runner::Trust trust, trusted.of(project.path, project.digest));
    if (trust == runner::Trust::agreed) return {};
    if (!context.given.flag("trust")) {
      if (!may_ask(context, asking)) return fail(not_agreed(project, trust));
      print_note(what_it_starts(project, trust) + "Use it, until it changes? [y/N] ");
      const std::string answer = to_ascii_lower(read_answer());
      if (answer != "y" && answer != "yes") return fail(not_agreed(project, trust));
    } else if (!context.json) {
      print_note(what_it_starts(project, trust));
    }
    HF_CHECK(make_data_folder(context.folders));
    return trusted.agree(project.path, project.digest);
  };
}

}  // namespace

bool may_ask(const Context& context, Asking asking) {
  return asking != Asking::nobody && somebody_is_there() && !context.json;
}

Result<std::string> base_folder(const Environment& environment) {
  std::error_code problem;
  std::filesystem::path folder = environment("WORKING_DIR").value_or("");
  if (folder.empty()) folder = std::filesystem::current_path(problem);
  if (!problem) folder = std::filesystem::absolute(folder, problem);
  if (problem) return fail(ErrorKind::io, "there is no working directory: " + problem.message());
  return folder.lexically_normal().string();
}

Result<runner::ServerPlaces> server_places(const Context& context, Asking asking, const std::string& mcp_json,
                                           const runner::ServersFile& remembered) {
  HF_TRY(std::string base, base_folder(context.environment));
  return runner::ServerPlaces{.environment = context.environment,
                              .folder = std::move(base),
                              .named = mcp_json,
                              .remembered = remembered,
                              .project_variables = context.settings.list("runner.project_variables"),
                              .consent = consent_of(context, asking)};
}

Result<runner::ServerList> defined_servers(const Context& context, Asking asking, const std::string& mcp_json,
                                           const runner::ServersFile& remembered) {
  HF_TRY(const runner::ServerPlaces places, server_places(context, asking, mcp_json, remembered));
  return runner::find_servers(places);
}

namespace {

// Where there is no screen, xdg-open would look for a browser in the terminal.
bool has_screen(const Environment& environment) {
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY"})
    if (const auto value = environment(name); value && !value->empty()) return true;
  return false;
}

}  // namespace

runner::LoginSettings login_settings(const Context& context, Asking asking, const std::string& mcp_json) {
  runner::LoginSettings logins;
  logins.folder = context.folders.data + "/logins";
  logins.how_to_log_in = [mcp_json](const runner::ServerDefinition& server) {
    const std::string file = mcp_json.empty() ? "" : " --mcp-json " + transcripts::shell_quoted(mcp_json);
    return fmt::format("holdfast run login {}{}", server.name, file);
  };
  if (asking != Asking::who_has_asked && !may_ask(context, asking)) return logins;
  const bool opens = somebody_is_there() && has_screen(context.environment);
  logins.show = [opens](const runner::ServerDefinition& server, const std::string& url) -> Result<void> {
    print_note(fmt::format("\n{} wants you to log in. Open this address in a browser on this machine:\n\n{}\n\n", server.name,
                           harmless(url, true)));
    // Only a convenience: the address has been shown.
    if (opens) (void)mcp::oauth::open_in_browser(url);
    return {};
  };
  return logins;
}

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
