#include "cli/server_logins.h"

#include "mcp/oauth/browser_prompt.h"
#include "transcripts/copy_result.h"

#include <fmt/format.h>

#include <filesystem>

namespace holdfast::cli {

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
  const bool there = somebody_is_there();
  if (asking == Asking::nobody || (asking == Asking::who_is_there && (!there || context.line.json))) return logins;
  const bool opens = there && has_screen(context.environment);
  logins.show = [opens](const runner::ServerDefinition& server, const std::string& url) -> Result<void> {
    print_note(fmt::format("\n{} wants you to log in. Open this address in a browser on this machine:\n\n{}\n\n", server.name,
                           harmless(url, true)));
    // Only a convenience: the address has been shown.
    if (opens) (void)mcp::oauth::open_in_browser(url);
    return {};
  };
  return logins;
}

Result<std::string> base_folder(const Environment& environment) {
  std::error_code problem;
  std::filesystem::path folder = environment("WORKING_DIR").value_or("");
  if (folder.empty()) folder = std::filesystem::current_path(problem);
  if (!problem) folder = std::filesystem::absolute(folder, problem);
  if (problem) return fail(ErrorKind::io, "there is no working directory: " + problem.message());
  return folder.lexically_normal().string();
}

Result<runner::ServerList> defined_servers(const Environment& environment, const std::string& base, const std::string& file) {
  const auto look_up = [&](const std::string& name) {
    return name == "MCP_JSON_PATH" && !file.empty() ? std::optional(file) : environment(name);
  };
  return runner::find_servers(look_up, base);
}

}  // namespace holdfast::cli
