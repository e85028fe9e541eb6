#include "cli/services/server_logins.h"

#include "kinds/transcripts/verbs/copy_result.h"
#include "mcp/oauth/browser_prompt.h"

#include <fmt/format.h>

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

}  // namespace holdfast::cli
