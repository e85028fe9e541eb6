#include "kinds/runner/servers/connect_servers.h"

#include "base/text/text.h"
#include "mcp/oauth/authorizer.h"
#include "mcp/oauth/browser_prompt.h"
#include "mcp/transport/transport_child.h"
#include "mcp/transport/transport_http_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

namespace holdfast::runner {

namespace {

namespace oauth = mcp::oauth;

static_assert(kLoginRequired == oauth::kLoginRequired);

using AuthorizerPtr = std::shared_ptr<mcp::HttpAuthorizer>;

bool speaks_for_itself(const ServerDefinition& server) {
  return server.login.never || std::ranges::any_of(server.headers, [](const auto& header) {
           return equal_ignoring_ascii_case(header.first, "Authorization");
         });
}

oauth::Settings settings_of(const ServerDefinition& server, const LoginSettings& logins) {
  oauth::Settings settings;
  settings.server_url = server.url;
  settings.scopes = server.login.scopes;
  if (!server.login.client_id.empty())
    settings.known_client =
        oauth::KnownClient{{}, {server.login.client_id, server.login.client_secret, {}, {}}, server.login.redirect_uri};
  if (!logins.folder.empty()) settings.store = std::make_shared<oauth::FileTokenStore>(logins.folder);
  if (logins.show)
    settings.prompt = std::make_shared<oauth::BrowserPrompt>(
        [server, show = logins.show](const std::string& url) { return show(server, url); });
  if (logins.how_to_log_in) settings.how_to_log_in = logins.how_to_log_in(server);
  return settings;
}

// One for each server and as long as the program speaks to any: so a login that has just failed is known to the next connection,
// and a token to the next run.
class Authorizers {
 public:
  Authorizers(net::EventLoop& loop, LoginSettings logins) : loop_(loop), logins_(std::move(logins)) {}

  AuthorizerPtr of(const ServerDefinition& server) {
    if (speaks_for_itself(server)) return nullptr;
    const std::lock_guard lock(mutex_);
    AuthorizerPtr& known = known_[fmt::format("{}\n{}\n{}\n{}", server.name, server.url, server.login.client_id,
                                              fmt::join(server.login.scopes, " "))];
    // It may only go on the loop's thread, or after that.
    if (!known)
      known = AuthorizerPtr(
          new oauth::Authorizer(loop_, settings_of(server, logins_)),
          [&loop = loop_](mcp::HttpAuthorizer* last) { loop.post([gone = std::unique_ptr<mcp::HttpAuthorizer>(last)] {}); });
    return known;
  }

 private:
  net::EventLoop& loop_;
  const LoginSettings logins_;
  std::mutex mutex_;
  std::map<std::string, AuthorizerPtr> known_;
};

Result<oauth::HttpUrl> address_of(const ServerDefinition& server) {
  if (server.url.empty())
    return fail(ErrorKind::invalid, fmt::format("{} is a program, not an address: nobody logs in to it", server.name));
  auto url = oauth::parse_http_url(server.url);
  if (!url) return fail(std::move(url).error().within(server.name));
  return url;
}

}  // namespace

LiveServer::Connect connect_servers(net::EventLoop& loop, LoginSettings logins) {
  return [&loop, authorizers = std::make_shared<Authorizers>(loop, std::move(logins))](const ServerDefinition& server,
                                                                                       const std::vector<std::string>& folders) {
    if (!server.url.empty()) return mcp::http_transport_maker(loop, {server.url, server.headers, true, authorizers->of(server)});
    std::vector<std::string> arguments = server.arguments;
    if (server.roots_at)
      arguments.insert(arguments.begin() + static_cast<std::ptrdiff_t>(*server.roots_at), folders.begin(), folders.end());
    return mcp::child_transport_maker(loop, {server.command, std::move(arguments), server.environment, server.folder});
  };
}

Result<bool> has_login(const LoginSettings& logins, const ServerDefinition& server) {
  HF_TRY(const oauth::HttpUrl url, address_of(server));
  return oauth::FileTokenStore(logins.folder).knows(url);
}

Result<bool> forget_login(const LoginSettings& logins, const ServerDefinition& server) {
  HF_TRY(const oauth::HttpUrl url, address_of(server));
  return oauth::FileTokenStore(logins.folder).forget(url);
}

}  // namespace holdfast::runner
