// holdfast run login|logout: logging in to an MCP server before a run needs it, and forgetting that.

#include "cli/program/context.h"
#include "cli/program/stop_signals.h"
#include "cli/services/runner_service.h"
#include "mcp/client/blocking_client.h"
#include "net/run/event_loop.h"

#include <atomic>
#include <stop_token>

namespace holdfast::cli {

namespace {

Result<runner::ServerDefinition> named_server(const Context& context) {
  const operations::Given& given = context.given;
  HF_TRY(const runner::ServerList list, defined_servers(context, Asking::who_has_asked, given.text("mcp_json")));
  HF_TRY(std::vector<runner::ServerDefinition> chosen, runner::choose_servers(list, {given.text("server")}));
  return std::move(chosen.front());
}

Result<void> tell(const Context& context, const std::string& server, bool logged_in, const std::string& words) {
  if (context.json)
    print_json(JsonObject{{"server", server}, {"logged_in", logged_in}});
  else
    print(words + "\n");
  return {};
}

}  // namespace

// The server says itself whether it wants a login: it is connected to, and asked for what it offers.
Result<void> log_in_to_server(Context& context) {
  HF_TRY(const runner::ServerDefinition server, named_server(context));  // may ask, and Ctrl-C leaves the question
  HF_TRY(auto signals, StopSignals::watch());
  runner::LoginSettings logins = login_settings(context, Asking::who_has_asked, context.given.text("mcp_json"));
  HF_CHECK(runner::has_login(logins, server));  // whether it can have one
  std::atomic<bool> asked = false;
  logins.show = [&asked, show = logins.show](const runner::ServerDefinition& which, const std::string& url) {
    asked = true;
    return show(which, url);
  };
  HF_CHECK(make_data_folder(context.folders));
  std::stop_source stop;
  signals->on_stop([&stop] { stop.request_stop(); });
  Result<void> connected;
  {
    net::LoopThread connections;
    const auto connect = runner::connect_servers(connections.loop(), logins);
    mcp::ClientOptions options;
    options.version = HOLDFAST_VERSION;
    options.listen = false;
    mcp::BlockingClient client(connections.loop(), options, {}, connect(server, {}));
    connected = client.connect(stop.get_token());
    if (connected)
      if (const auto tools = client.tools(); !tools) connected = fail(tools.error().error);
  }
  signals.reset();  // it knows what is about to go
  if (!connected) return fail(std::move(connected).error().within(server.name));
  HF_TRY(const bool now, runner::has_login(logins, server));
  if (!now) return tell(context, server.name, false, server.name + " wants no login");
  return tell(context, server.name, true,
              asked ? "you are logged in to " + server.name : "the login to " + server.name + " still works");
}

Result<void> log_out_of_server(Context& context) {
  HF_TRY(const runner::ServerDefinition server, named_server(context));
  HF_TRY(const bool was_there, runner::forget_login(login_settings(context, Asking::nobody, {}), server));
  return tell(context, server.name, false,
              (was_there ? "the login is forgotten: " : "there is no login to forget: ") + server.name);
}

}  // namespace holdfast::cli
